// A ref, a span and a pin in the middle of a large array whose start nobody refers to.
// Rule: interior pointers may be megabytes away from the object's start.
// A search for the start that looks at one region or a fixed distance back ends in the wrong object.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-large-array-middle", "refs megabytes inside arrays of values and references keep the whole array")]
internal static class LargeArrayMiddle
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref long Values(int length, int at)
    {
        long[] array = new long[length];
        for (int i = 0; i < length; i += 512)
            array[i] = i;
        return ref array[at];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Span<object?> References(int length, int at)
    {
        object?[] array = new object?[length];
        for (int i = 0; i < length; i += 512)
            array[i] = new int[] { i };
        return array.AsSpan(at, 1);
    }

    public static unsafe void Run(TextWriter output)
    {
        int length = Work.Scaled(3_000_000, 30_000);
        foreach (int at in (int[])[0, 511, length / 2, length - 1])
            Once(length, at);
        output.WriteLine("4 places");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static unsafe void Once(int length, int at)
    {
        ref long value = ref Values(length, at);
        Span<object?> one = References(length, at);
        fixed (long* pinned = &value)
        {
            for (int round = 0; round < 3; round++)
            {
                Heap.Churn(64);
                Heap.Turn();
                for (int i = 0; i < length; i += 512)
                {
                    if (pinned[i - at] != i)
                        Expect.That(false, $"value {i} seen from {at}");
                    if (Unsafe.Add(ref one[0], i - at) is not int[] cell || cell[0] != i)
                        Expect.That(false, $"reference {i} seen from {at}");
                }
            }
            Expect.That(Unsafe.AreSame(ref value, ref *pinned), "a pinned ref does not move");
        }
    }
}
