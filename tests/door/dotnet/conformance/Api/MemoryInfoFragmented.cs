// GC.GetGCMemoryInfo of a heap with holes: of many pinned and many large arrays every other one is dropped.
// Rule: HeapSizeBytes counts the free room between objects, FragmentedBytes is that room: the first less the second is what is alive.
// Programs subtract the two; a heap size without its holes makes the difference too small, or negative.

namespace Garner.Conformance;

[Behaviour("api-memory-info-fragmented", "GCMemoryInfo of a heap with holes: fragmentation is within the heap size, and the rest holds what is alive")]
internal static class MemoryInfoFragmented
{
    private const int PinnedBytes = 1000, LargeBytes = 200_000;

    private static void Check(string what, long live)
    {
        for (int round = 0; round < 3; round++)
            Heap.Full();
        GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
        Expect.That(info.FragmentedBytes >= 0 && info.FragmentedBytes <= info.HeapSizeBytes, $"{what}: fragmentation is within the heap size");
        Expect.That(info.HeapSizeBytes - info.FragmentedBytes >= live, $"{what}: the heap without its holes holds what is alive");
    }

    public static void Run(TextWriter output)
    {
        int pinnedCount = Work.Scaled(40_000, 4000), largeCount = Work.Scaled(100, 20);
        byte[]?[] pinned = new byte[pinnedCount][], large = new byte[largeCount][];
        for (int i = 0; i < pinnedCount; i++)
            pinned[i] = GC.AllocateArray<byte>(PinnedBytes, pinned: true);
        for (int i = 0; i < largeCount; i++)
            large[i] = new byte[LargeBytes];
        long pinnedLive = (long)pinnedCount * PinnedBytes, largeLive = (long)largeCount * LargeBytes;
        Check("all alive", pinnedLive + largeLive);
        for (int i = 1; i < pinnedCount; i += 2)
            pinned[i] = null;
        Check("half of the pinned arrays", pinnedLive / 2 + largeLive);
        for (int i = 1; i < largeCount; i += 2)
            large[i] = null;
        Check("half of the large arrays too", pinnedLive / 2 + largeLive / 2);
        for (int i = 0; i < pinnedCount; i++)
            if (i % 10 != 0)
                pinned[i] = null;
        Check("a tenth of the pinned arrays", pinnedLive / 10 + largeLive / 2);
        GC.KeepAlive(pinned);
        GC.KeepAlive(large);
        output.WriteLine($"{pinnedCount} pinned, {largeCount} large");
    }
}
