// Threads in loops without calls or allocation while another thread collects: they must be stopped, and go on.
// Rule: a collection stops every managed thread within a short time, wherever it is.
// A loop that has no safe point must be interrupted by a signal; its registers hold references and interior pointers.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("thread-tight-loops", "threads in tight loops over arrays are stopped by collections and go on with right references")]
internal static class TightLoops
{
    private static bool s_stop;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Spin(int[] array, ref int start)
    {
        long rounds = 0;
        ref int position = ref start;
        while (!Volatile.Read(ref s_stop))
        {
            int[] same = array;
            for (int i = 0; i < same.Length; i++)
                if (same[i] != i + Unsafe.Add(ref position, i))
                    return -1;
            rounds++;
        }
        return rounds;
    }

    public static void Run(TextWriter output)
    {
        s_stop = false;
        long[] rounds = new long[3];
        Crew.Run(4, number =>
        {
            if (number == 3)
            {
                for (int i = 0; i < Work.Scaled(60, 10); i++)
                    Heap.Turn();
                Volatile.Write(ref s_stop, true);
                return;
            }
            int[] array = new int[500];
            int[] zeros = new int[500];
            for (int i = 0; i < array.Length; i++)
                array[i] = i;
            rounds[number] = Spin(array, ref zeros[0]);
        });
        Expect.That(Array.TrueForAll(rounds, static r => r >= 0), "no wrong element was seen");
        output.WriteLine("loops went on");
    }
}
