// Identity hash codes of moving objects, taken before, between and after moves, with and without a lock beside them.
// Rule: RuntimeHelpers.GetHashCode never changes for an object.
// The hash lives in the header or in the sync block; an address-based hash would change with every move.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("sync-hash-stable", "identity hashes stay the same over moves, with locks before, during and after")]
internal static class HashStable
{
    private sealed class Plain { public int X; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(3000, 300);
        object[] all = new object[count];
        int[] hashes = new int[count];
        for (int i = 0; i < count; i++)
        {
            all[i] = (i % 5) switch { 0 => new Plain(), 1 => new int[i % 9], 2 => i.ToString(), 3 => (object)i, _ => new object() };
            if (i % 7 == 3)
                Monitor.Enter(all[i]);
            hashes[i] = RuntimeHelpers.GetHashCode(all[i]);
            if (i % 7 == 5)
                Monitor.Enter(all[i]);
        }
        Dictionary<object, int> numbers = new(ReferenceEqualityComparer.Instance);
        for (int i = 0; i < count; i++)
            numbers.Add(all[i], i);
        for (int round = 0; round < 8; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                if (RuntimeHelpers.GetHashCode(all[i]) != hashes[i] || !numbers.TryGetValue(all[i], out int number) || number != i)
                    Expect.That(false, $"hash of object {i} in round {round}");
                if ((i + round) % 11 == 0)
                    lock (all[i])
                        Expect.Equal(hashes[i], RuntimeHelpers.GetHashCode(all[i]));
            }
        }
        for (int i = 0; i < count; i++)
            if (i % 7 is 3 or 5)
            {
                Expect.That(Monitor.IsEntered(all[i]), $"lock of object {i}");
                Monitor.Exit(all[i]);
            }
        Expect.That(hashes.Distinct().Count() > count * 9 / 10, "hashes spread");
        output.WriteLine($"{count} hashes");
    }
}
