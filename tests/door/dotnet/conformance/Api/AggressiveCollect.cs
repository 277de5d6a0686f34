// GC.Collect in Aggressive mode after a large heap was dropped.
// Rule: as much memory as possible is given back to the system.
// Seen from outside: the resident memory of the process falls.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-collect-aggressive", "GCCollectionMode.Aggressive gives the memory of a dropped heap back to the system")]
internal static class AggressiveCollect
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Grow(int megabytes)
    {
        List<byte[]> all = [];
        for (int i = 0; i < megabytes * 10; i++)
        {
            byte[] array = new byte[i % 10 == 0 ? 200_000 : 90_000];
            array.AsSpan().Fill(1);
            all.Add(array);
        }
        for (int i = 0; i < megabytes * 100; i++)
        {
            byte[] array = new byte[1000];
            array.AsSpan().Fill(1);
            all.Add(array);
        }
        long resident = Resident();
        GC.KeepAlive(all);
        return resident;
    }

    private static long Resident()
    {
        // The second field of statm: resident pages.
        string[] fields = File.ReadAllText("/proc/self/statm").Split(' ');
        return long.Parse(fields[1]) * Environment.SystemPageSize;
    }

    public static void Run(TextWriter output)
    {
        int megabytes = Work.Scaled(100, 20);
        long high = Grow(megabytes);
        for (int i = 0; i < 3; i++)
            GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        Expect.That(Heap.Wait(() => high - Resident() >= megabytes * 1_000_000L / 2), "resident memory falls by at least half of what was dropped");
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
        Expect.That(info.TotalCommittedBytes < megabytes * 1_000_000L, "committed memory too");
        output.WriteLine("given back");
    }
}
