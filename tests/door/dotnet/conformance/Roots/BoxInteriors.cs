// References into boxed structs (unbox gives a ref) and struct method calls on boxes, while the box moves.
// Rule: the `this` of a boxed struct's method is an interior pointer at offset 8.
// It points just behind the method table word, into what may be the smallest object of all.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-box-interiors", "refs into boxes and `this` of boxed structs follow the box")]
internal static class BoxInteriors
{
    private interface IGrows { int Grow(int by); }

    private struct Growing : IGrows
    {
        private int _size;
        private object? _last;

        public int Grow(int by)
        {
            _size += by;
            Heap.Turn();
            _last = _size.ToString();
            Heap.Turn();
            return (string)_last == _size.ToString() ? _size : -1;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref long OnlyRef(long value) => ref Unsafe.Unbox<long>(value);

    public static void Run(TextWriter output)
    {
        for (int n = 1; n <= 20; n++)
        {
            ref long value = ref OnlyRef(n);
            ref long other = ref OnlyRef(-n);
            IGrows grows = new Growing();
            Heap.Churn(32);
            Heap.Turn();
            Expect.Equal((long)n, value);
            value += 5;
            int size = 0;
            for (int k = 1; k < 5; k++)
                Expect.Equal(size += k, grows.Grow(k), "size of a boxed struct");
            Expect.Equal(n + 5L, value);
            Expect.Equal(-(long)n, other);
        }
        output.WriteLine("every box was found");
    }
}
