// Ephemerons whose value refers to the key, to another key, or to the table itself.
// Rule: a value's reference to its own key does not keep the entry: that is what distinguishes an ephemeron from a weak key.
// Marking values too early makes such entries immortal.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("cwt-cycles", "entries whose value refers back to the key, to each other's keys, or to the table are collected")]
internal static class EphemeronCycles
{
    private sealed class Key { public object? Other; }
    private sealed class Value { public object? Back; public ConditionalWeakTable<Key, Value>? Table; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> Fill(ConditionalWeakTable<Key, Value> table, List<Key> kept)
    {
        List<WeakReference> dead = [];
        for (int i = 0; i < 200; i++)
        {
            // Value refers to its own key.
            Key self = new();
            table.Add(self, new Value { Back = self });
            dead.Add(new WeakReference(self));
            // Two entries refer to each other's keys.
            Key a = new(), b = new();
            table.Add(a, new Value { Back = b, Table = table });
            table.Add(b, new Value { Back = a });
            dead.Add(new WeakReference(a));
            dead.Add(new WeakReference(b));
            // Key and value refer to each other, and the key is kept.
            Key live = new();
            Value value = new() { Back = live };
            live.Other = value;
            table.Add(live, value);
            kept.Add(live);
        }
        return dead;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference TableInItself()
    {
        ConditionalWeakTable<Key, Value> table = [];
        Key key = new() { Other = table };
        table.Add(key, new Value { Back = key, Table = table });
        return new WeakReference(key);
    }

    public static void Run(TextWriter output)
    {
        ConditionalWeakTable<Key, Value> table = [];
        List<Key> kept = [];
        List<WeakReference> dead = Fill(table, kept);
        Expect.That(Heap.Until(() => dead.TrueForAll(static w => !w.IsAlive)), "cyclic entries are collected");
        foreach (Key key in kept)
            Expect.That(table.TryGetValue(key, out Value? value) && value == key.Other && value.Back == key, "kept entries stay");
        WeakReference self = TableInItself();
        Expect.That(Heap.Until(() => !self.IsAlive), "a table that is reachable from its own entry only is collected");
        output.WriteLine($"{dead.Count} collected, {kept.Count} kept");
    }
}
