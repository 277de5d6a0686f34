// One array of 300 MB, alive over collections, then dropped and allocated again.
// Rule: arrays up to 2^31 elements are one object; their memory is zero when new.
// A collector that stores sizes in 32 bits, or copies what it should leave in place, fails here first.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-huge", "a 300 MB byte[] is zero, keeps its bytes over collections, and can be allocated again after it died")]
internal static class HugeArray
{
    public static void Run(TextWriter output)
    {
        int length = Work.Scaled(300 * 1024 * 1024, 10_000_000);
        Once(length, 0);
        Once(length / 10, 1);
        output.WriteLine("alive, dead, and again");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Once(int length, int round)
    {
        byte[] huge = new byte[length];
        const int Page = 4096;
        bool zero = true;
        for (int i = 0; i < length; i += Page)
        {
            zero &= huge[i] == 0 & huge[Math.Min(i + Page, length) - 1] == 0;
            huge[i] = (byte)(i / Page + round);
        }
        Expect.That(zero, $"first and last byte of every page are zero in round {round}");
        WeakReference weak = new(huge);
        Heap.Turn();
        Heap.Full();
        bool right = huge.Length == length && ReferenceEquals(weak.Target, huge);
        for (int i = 0; i < length; i += Page)
            right &= huge[i] == (byte)(i / Page + round);
        Expect.That(right, $"content in round {round}");
        Expect.Equal(GC.MaxGeneration, GC.GetGeneration(huge));
    }
}
