// Arrays of structs that hold references among plain fields: the GCDesc describes one element and repeats.
// Rule: for such arrays the series count is negative and (pointers, skip) pairs repeat over all elements.
// The least used branch of an object walker: an element pattern with a leading, trailing or double gap shifts all that follow.

namespace Garner.Conformance;

[Behaviour("alloc-arrays-of-structs", "arrays of structs with references in seven patterns (repeating GCDesc series) keep every element")]
internal static class StructArrays
{
    private sealed class Leaf(int value) { public readonly int Value = value; }

    private interface IElement<T> where T : struct { static abstract T Make(int i); bool Holds(int i); }

    private struct RefOnly : IElement<RefOnly>
    {
        private Leaf _a;
        public static RefOnly Make(int i) => new() { _a = new Leaf(i) };
        public readonly bool Holds(int i) => _a.Value == i;
    }

    private struct BitsRef : IElement<BitsRef>
    {
        private long _x; private Leaf _a;
        public static BitsRef Make(int i) => new() { _x = i, _a = new Leaf(i) };
        public readonly bool Holds(int i) => _x == i && _a.Value == i;
    }

    private struct RefBitsRef : IElement<RefBitsRef>
    {
        private Leaf _a; private BitsPair _x; private string _b;
        public static RefBitsRef Make(int i) => new() { _a = new Leaf(i), _x = new BitsPair { X = i, Y = -i }, _b = i.ToString() };
        public readonly bool Holds(int i) => _a.Value == i && _x.X == i && _x.Y == -i && _b == i.ToString();
    }

    private struct BitsPair { public long X, Y; }

    private struct Pairs : IElement<Pairs>
    {
        private RefBitsRef _p, _q; private int _tail;
        public static Pairs Make(int i) => new() { _p = RefBitsRef.Make(i), _q = RefBitsRef.Make(i + 1), _tail = i };
        public readonly bool Holds(int i) => _p.Holds(i) && _q.Holds(i + 1) && _tail == i;
    }

    private struct Deep : IElement<Deep>
    {
        private long _x0, _x1, _x2; private BitsRef _n; private Guid _g; private Pairs _m;
        public static Deep Make(int i) => new() { _x0 = i, _x1 = ~i, _x2 = i * 3L, _n = BitsRef.Make(i), _g = new Guid(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), _m = Pairs.Make(i) };
        public readonly bool Holds(int i) => _x0 == i && _x1 == ~i && _x2 == i * 3L && _n.Holds(i) && _g == new Guid(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) && _m.Holds(i);
    }

    [System.Runtime.CompilerServices.InlineArray(5)]
    private struct Five { private Leaf _element; }

    private struct Inline : IElement<Inline>
    {
        private Five _five; private int _x;
        public static Inline Make(int i)
        {
            Inline made = new() { _x = i };
            for (int k = 0; k < 5; k++)
                made._five[k] = new Leaf(i + k);
            return made;
        }
        public readonly bool Holds(int i)
        {
            bool right = _x == i;
            for (int k = 0; k < 5; k++)
                right &= _five[k].Value == i + k;
            return right;
        }
    }

    private struct Odd : IElement<Odd>
    {
        private byte _x; private Leaf _a; private byte _y; private (Leaf First, short Gap, Leaf Second) _t;
        public static Odd Make(int i) => new() { _x = (byte)i, _a = new Leaf(i), _y = (byte)~i, _t = (new Leaf(i + 1), (short)i, new Leaf(i + 2)) };
        public readonly bool Holds(int i) => _x == (byte)i && _a.Value == i && _y == (byte)~i && _t.First.Value == i + 1 && _t.Gap == (short)i && _t.Second.Value == i + 2;
    }

    private static void Check<T>(TextWriter output, int[] lengths) where T : struct, IElement<T>
    {
        T[][] all = Array.ConvertAll(lengths, static n => new T[n]);
        foreach (T[] array in all)
            for (int i = 0; i < array.Length; i++)
                array[i] = T.Make(i);
        for (int round = 0; round < 5; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            foreach (T[] array in all)
                for (int i = 0; i < array.Length; i++)
                {
                    Expect.That(array[i].Holds(i), $"{typeof(T).Name}[{i}] of {array.Length} in round {round}");
                    if ((i + round) % 7 == 0)
                        array[i] = T.Make(i);
                }
        }
        output.WriteLine($"{typeof(T).Name}: {all.Length} arrays");
    }

    public static void Run(TextWriter output)
    {
        int[] lengths = [0, 1, 2, 3, 7, 64, 501, Work.Scaled(6000, 600)];
        Check<RefOnly>(output, lengths);
        Check<BitsRef>(output, lengths);
        Check<RefBitsRef>(output, lengths);
        Check<Pairs>(output, lengths);
        Check<Deep>(output, lengths);
        Check<Inline>(output, lengths);
        Check<Odd>(output, lengths);
    }
}
