// ConditionalWeakTable: values live with their keys; add, find, replace, remove; keys die and their entries with them.
// Rule: an entry does not keep its key, and keeps its value only while the key is reachable otherwise.
// The table compares keys by identity through their (stable) hash, while keys and values move.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("cwt-entries", "ConditionalWeakTable finds live keys, drops dead ones with their values")]
internal static class EphemeronBasics
{
    private sealed class Key(int number) { public readonly int Number = number; }
    private sealed class Value(int number) { public readonly int Number = number; public readonly byte[] Payload = new byte[100]; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fill(ConditionalWeakTable<Key, Value> table, Key?[] keys, WeakReference[] values)
    {
        for (int i = 0; i < keys.Length; i++)
        {
            keys[i] = new Key(i);
            Value value = new(i);
            table.Add(keys[i]!, value);
            values[i] = new WeakReference(value);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Holds(ConditionalWeakTable<Key, Value> table, Key key, int number) =>
        table.TryGetValue(key, out Value? value) && value.Number == number;

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(2000, 200);
        ConditionalWeakTable<Key, Value> table = [];
        Key?[] keys = new Key?[count];
        WeakReference[] values = new WeakReference[count];
        Fill(table, keys, values);
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                if (!Holds(table, keys[i]!, i))
                    Expect.That(false, $"entry {i} in round {round}");
        }
        Expect.Throws<ArgumentException>(() => table.Add(keys[0]!, new Value(0)), "adding a key twice");
        for (int i = 0; i < count; i += 4)
        {
            table.AddOrUpdate(keys[i]!, new Value(i + 1_000_000));
            Expect.That(table.Remove(keys[i + 1]!) && !table.TryGetValue(keys[i + 1]!, out _), "removed");
        }
        Heap.Young();
        for (int i = 0; i < count; i += 4)
            Expect.That(Holds(table, keys[i]!, i + 1_000_000), $"replaced entry {i}");
        for (int i = 2; i < count; i += 4)
            keys[i] = null;
        Expect.That(Heap.Until(() => Alive(values, 2) == 0), "values of dead keys die");
        Expect.That(Heap.Until(() => Alive(values, 0) == 0), "replaced values die");
        Expect.That(Heap.Until(() => Alive(values, 1) == 0), "removed values die");
        Expect.Equal(count / 4, Alive(values, 3), "values of live keys");
        Expect.Equal(7, table.GetValue(new Key(7), static k => new Value(k.Number)).Number);
        GC.KeepAlive(keys);
        output.WriteLine($"{count} entries");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Alive(WeakReference[] values, int residue)
    {
        int alive = 0;
        for (int i = residue; i < values.Length; i += 4)
            alive += values[i].IsAlive ? 1 : 0;
        return alive;
    }
}
