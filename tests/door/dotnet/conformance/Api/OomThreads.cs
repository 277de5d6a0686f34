// Several threads that run into the hard limit at the same time, catching and going on.
// Rule: each failing allocation throws on its own thread; threads that allocate little go on.
// All threads at the end of memory at once ask for collections again and again; none may wait for ever.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-oom-threads", "four threads exceed a 150 MB hard limit at once, each catches its own OutOfMemoryException and goes on", Settings = "DOTNET_GCHeapHardLimit=0x9600000")]
internal static class OomThreads
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Exceed(int size)
    {
        List<byte[]> all = [];
        try
        {
            while (all.Count < 2000)
                all.Add(new byte[size]);
            return false;
        }
        catch (OutOfMemoryException)
        {
            return true;
        }
    }

    public static void Run(TextWriter output)
    {
        int rounds = Work.Scaled(5, 2), caught = 0;
        Crew.Run(4, number =>
        {
            for (int round = 0; round < rounds; round++)
                if (Exceed(300_000 + number * 400_000))
                    Interlocked.Increment(ref caught);
        });
        Expect.Equal(4 * rounds, caught);
        Heap.Settle();
        int total = 0;
        Crew.Run(4, _ =>
        {
            for (int i = 0; i < 1000; i++)
                Interlocked.Add(ref total, new byte[1000].Length);
        });
        Expect.Equal(4_000_000, total);
        output.WriteLine($"{caught} caught");
    }
}
