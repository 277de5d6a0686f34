// The watched program of the event tests: collections of every kind that a program can cause, and known amounts of allocation. What System.GC
// answers right after each is written down as facts, and compared with what the events say.
using System.Text.Json;

namespace Garner.Tools;

/// <summary>A collection as GC.GetGCMemoryInfo tells it; Reason is what caused it, by the name that TraceEvent gives.</summary>
internal sealed record Collection(long Index, int Generation, int Asked, string Reason, long HeapSize, long Fragmented, long Total, double PauseMs, long Pinned, long[] Sizes);

internal sealed record Facts(int ProcessId, List<Collection> Collections, long SmallBytes, long LargeBytes, long PinnedBytes)
{
    public static Facts Read(string file) => JsonSerializer.Deserialize<Facts>(File.ReadAllText(file))!;
}

internal sealed class Small
{
    public long A, B, C, D;
}

internal static class Target
{
    private const int Most = 4000; // steps until a collection that the program does not ask for must have come

    private static readonly List<Collection> s_made = [];
    private static object? s_kept, s_last;

    public static int Run(string facts, bool wait)
    {
        if (wait)
        {
            Console.WriteLine("ready");
            Console.ReadLine();
        }
        s_kept = new object[] { Enumerable.Range(0, 50_000).Select(static _ => new Small()).ToArray(), new byte[3_000_000], GC.AllocateArray<byte>(200_000, pinned: true) };
        GC.Collect();
        Note(0, "Induced", static () => GC.Collect(0));
        Note(1, "Induced", static () => GC.Collect(1));
        Note(2, "Induced", static () => GC.Collect(2));
        Note(2, "InducedCompacting", static () => GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true));
        Note(2, "InducedAggressive", static () => GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true));
        Note(0, "AllocSmall", static () => Until(0, static () => s_last = new byte[50_000]));
        Note(2, "AllocLarge", static () => Until(2, static () => s_last = new byte[1_000_000]));
        Note(1, "Induced", static () => GC.Collect(1));
        (long small, long large, long pinned) = (Bytes(Smalls), Bytes(Larges), Bytes(Pinneds));
        File.WriteAllText(facts, JsonSerializer.Serialize(new Facts(Environment.ProcessId, s_made, small, large, pinned)));
        GC.KeepAlive(s_kept);
        return 0;
    }

    private static void Note(int generation, string reason, Action cause)
    {
        cause();
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.Any);
        long total = GC.GetTotalMemory(false);
        long[] sizes = new long[5];
        for (int i = 0; i < 5; i++)
            sizes[i] = info.GenerationInfo[i].SizeAfterBytes;
        s_made.Add(new(info.Index, info.Generation, generation, reason, info.HeapSizeBytes, info.FragmentedBytes, total, info.PauseDurations[0].TotalMilliseconds, info.PinnedObjectsCount, sizes));
    }

    private static void Until(int generation, Action step)
    {
        int before = GC.CollectionCount(generation);
        for (int i = 0; i < Most && GC.CollectionCount(generation) == before; i++)
            step();
    }

    private static long Bytes(Action allocate)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        allocate();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static void Smalls()
    {
        for (int i = 0; i < 400_000; i++)
            s_last = new Small();
    }

    private static void Larges()
    {
        for (int i = 0; i < 30; i++)
            s_last = new long[100_000];
    }

    private static void Pinneds()
    {
        for (int i = 0; i < 50; i++)
            s_last = GC.AllocateArray<short>(60_000, pinned: true);
    }
}
