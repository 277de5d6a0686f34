// A ConditionalWeakTable with 100,000 entries over young and full collections, with keys that come and go.
// Rule: the cost of entries is proportional to what changed; their number is not limited.
// Old entries must keep young values alive when a value is replaced, without a visit to all of them being missed or needed.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("cwt-100k", "100,000 ConditionalWeakTable entries with changing keys and values over collections")]
internal static class ManyEphemerons
{
    private sealed class Key(int number) { public readonly int Number = number; }
    private sealed class Value(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(100_000, 2000);
        ConditionalWeakTable<Key, Value> table = [];
        Key[] keys = new Key[count];
        int[] expected = new int[count];
        for (int i = 0; i < count; i++)
        {
            keys[i] = new Key(i);
            table.Add(keys[i], new Value(i));
            expected[i] = i;
        }
        Dice dice = new(15);
        for (int round = 1; round <= 8; round++)
        {
            for (int k = 0; k < count / 50; k++)
            {
                int i = dice.Below(count);
                expected[i] = round * count + i;
                if (k % 2 == 0)
                    keys[i] = new Key(i);
                table.AddOrUpdate(keys[i], new Value(expected[i]));
            }
            if (round % 4 == 0)
                Heap.Full();
            else
                Heap.Young();
            for (int i = round % 3; i < count; i += 3)
                if (!table.TryGetValue(keys[i], out Value? value) || value.Number != expected[i])
                    Expect.That(false, $"entry {i} in round {round}");
        }
        table.Clear();
        output.WriteLine("every entry found");
    }
}
