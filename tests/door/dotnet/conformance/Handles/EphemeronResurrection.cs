// A key that is resurrected by its finalizer keeps its entry and its value.
// Rule: dependent handles have long weak semantics: the entry stays while the key is being finalized and afterwards if it came
// back, and the value stays with it.
// After the finalization scan the ephemerons must be followed a second time.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("cwt-resurrected-key", "a key resurrected by its finalizer, directly or through a graph, still has its value")]
internal static class EphemeronResurrection
{
    private sealed class Value(int number) { public readonly int Number = number; public readonly string Text = number.ToString(); }

    private sealed class Key(int number)
    {
        public readonly int Number = number;
        ~Key() { lock (s_risen) s_risen.Add(this); }
    }

    private sealed class Carrier(Plain key) { private readonly Plain _key = key; ~Carrier() { lock (s_carried) s_carried.Add(_key); } }
    private sealed class Plain(int number) { public readonly int Number = number; }

    private static readonly List<Key> s_risen = [];
    private static readonly List<Plain> s_carried = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> Fill(ConditionalWeakTable<object, Value> table, int count)
    {
        List<WeakReference> values = [];
        for (int i = 0; i < count; i++)
        {
            Value value = new(i);
            table.Add(new Key(i), value);
            values.Add(new WeakReference(value));
            Plain plain = new(i);
            Value second = new(i + count);
            table.Add(plain, second);
            values.Add(new WeakReference(second));
            _ = new Carrier(plain);
        }
        return values;
    }

    public static void Run(TextWriter output)
    {
        s_risen.Clear();
        s_carried.Clear();
        int count = Work.Scaled(300, 30);
        ConditionalWeakTable<object, Value> table = [];
        List<WeakReference> values = Fill(table, count);
        Expect.That(Heap.Until(() => s_risen.Count == count && s_carried.Count == count), "all keys came back");
        for (int round = 0; round < 3; round++)
        {
            Heap.Settle();
            foreach (Key key in s_risen)
                Expect.That(table.TryGetValue(key, out Value? value) && value.Number == key.Number && value.Text == key.Number.ToString(), $"value of risen key {key.Number}");
            foreach (Plain key in s_carried)
                Expect.That(table.TryGetValue(key, out Value? value) && value.Number == key.Number + count, $"value of carried key {key.Number}");
        }
        Drop();
        Expect.That(Heap.Until(() => values.TrueForAll(static v => !v.IsAlive)), "values die when the keys are dropped for good");
        GC.KeepAlive(table);
        output.WriteLine($"{2 * count} keys came back");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop()
    {
        s_risen.Clear();
        s_carried.Clear();
        s_risen.Capacity = s_carried.Capacity = 0;
    }
}
