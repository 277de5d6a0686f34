// Enumerating a ConditionalWeakTable while keys die and collections run, and from several threads.
// Rule: the enumeration yields live entries only, every kept key exactly once.
// Enumeration reads primary and secondary of a handle that a collection may clear in between.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("cwt-iteration", "enumerating a ConditionalWeakTable during collections gives each kept key once with its value")]
internal static class EphemeronIteration
{
    private sealed class Key(int number) { public readonly int Number = number; }
    private sealed class Value(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Key[] Fill(ConditionalWeakTable<Key, Value> table, int count)
    {
        List<Key> kept = [];
        for (int i = 0; i < count; i++)
        {
            Key key = new(i);
            table.Add(key, new Value(i));
            if (i % 2 == 0)
                kept.Add(key);
        }
        return [.. kept];
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(2000, 200);
        ConditionalWeakTable<Key, Value> table = [];
        Key[] kept = Fill(table, count);
        Crew.Run(4, number =>
        {
            for (int round = 0; round < 6; round++)
            {
                bool[] seen = new bool[count];
                int steps = 0;
                foreach ((Key key, Value value) in table)
                {
                    if (key.Number != value.Number || seen[key.Number])
                        Expect.That(false, $"entry {key.Number}");
                    seen[key.Number] = true;
                    if (++steps % 400 == 100 * number)
                        Heap.Turn();
                }
                foreach (Key key in kept)
                    if (!seen[key.Number])
                        Expect.That(false, $"key {key.Number} is missing");
            }
        });
        Heap.Settle();
        Expect.That(Heap.Until(() => table.Count() == kept.Length), "in the end only the kept ones are left");
        GC.KeepAlive(kept);
        table.Clear();
        Expect.Equal(0, table.Count());
        output.WriteLine($"{kept.Length} keys kept");
    }
}
