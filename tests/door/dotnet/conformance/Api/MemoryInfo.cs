// GC.GetGCMemoryInfo of the last collection of any kind, of the last blocking full one and of the last young one.
// Rule: the figures describe the last collection of that kind: index, generation, sizes, pauses, and they are consistent.
// Every figure is filled in by the collector; monitoring divides them by each other.

namespace Garner.Conformance;

[Behaviour("api-memory-info", "GCMemoryInfo of every GCKind: indexes grow, sizes and generations are consistent, pauses are positive")]
internal static class MemoryInfo
{
    public static void Run(TextWriter output)
    {
        byte[][] live = [.. Enumerable.Range(0, 200).Select(static _ => new byte[20_000])];
        byte[][] large = [.. Enumerable.Range(0, 20).Select(static _ => new byte[200_000])];
        long lastAny = -1, lastFull = -1, lastEphemeral = -1;
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(512);
            // A collection may come between a request and its figures: what must hold is looked for a few times.
            GCMemoryInfo any = default, full = default;
            for (int attempt = 0; attempt < 20 && (attempt == 0 || full.Index != any.Index); attempt++)
            {
                GC.Collect();
                any = GC.GetGCMemoryInfo(GCKind.Any);
                full = GC.GetGCMemoryInfo(GCKind.FullBlocking);
            }
            Expect.Equal(full.Index, any.Index, "after a blocking full collection that is the last one of any kind");
            Expect.That(full.Index > lastFull && any.Index >= lastAny, "indexes grow");
            lastAny = any.Index;
            Expect.Equal(2, full.Generation);
            Expect.That(!full.Concurrent, "a blocking collection is not concurrent");
            Consistent(full);
            Expect.That(full.GenerationInfo[3].SizeAfterBytes >= 20 * 200_000L, "large objects are counted with the large");
            Expect.That(full.HeapSizeBytes >= 200 * 20_000L + 20 * 200_000L, "the heap is at least what is alive");
            Expect.That(full.PromotedBytes >= 200 * 20_000L + 20 * 200_000L, "what survived was promoted");
            Expect.That(full.TotalCommittedBytes >= full.HeapSizeBytes - full.FragmentedBytes, "live memory is committed");
            Expect.Equal(full.PromotedBytes, any.PromotedBytes, "one collection, asked for by its kind or as the last one");
            lastFull = full.Index;

            // A collector may answer a request for a young collection with an older one, now and then.
            bool young = false;
            for (int attempt = 0; attempt < 50 && !young; attempt++)
            {
                long fullBefore = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;
                GC.Collect(0);
                GCMemoryInfo ephemeral = GC.GetGCMemoryInfo(GCKind.Ephemeral);
                any = GC.GetGCMemoryInfo();
                Expect.That(any.Index >= lastAny, "indexes never fall");
                if (any.Index == lastAny || any.Index != ephemeral.Index || GC.GetGCMemoryInfo(GCKind.FullBlocking).Index != fullBefore)
                {
                    Thread.Sleep(attempt);
                    continue;
                }
                young = true;
                lastAny = any.Index;
                Expect.That(ephemeral.Index > lastEphemeral && ephemeral.Generation < 2, "a young collection is not of generation 2");
                Consistent(ephemeral);
                lastEphemeral = ephemeral.Index;
            }
            Expect.That(young, "a request for a young collection is answered with one");
        }
        bool compacted = false;
        for (int attempt = 0; attempt < 20 && !compacted; attempt++)
        {
            Heap.Full();
            compacted = GC.GetGCMemoryInfo(GCKind.FullBlocking).Compacted;
        }
        Expect.That(compacted, "a compacting collection says so");
        bool same = false;
        for (int attempt = 0; attempt < 20 && !same; attempt++)
        {
            GCMemoryInfo before = GC.GetGCMemoryInfo(GCKind.FullBlocking);
            Thread.Sleep(50);
            GCMemoryInfo later = GC.GetGCMemoryInfo(GCKind.FullBlocking);
            same = later.Index == before.Index && later.PauseTimePercentage == before.PauseTimePercentage;
        }
        Expect.That(same, "the share of pauses is that at its collection's end, however late it is asked for");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.GetGCMemoryInfo((GCKind)9), "an unknown kind");
        GC.KeepAlive(live);
        GC.KeepAlive(large);
        output.WriteLine("consistent");
    }

    private static void Consistent(GCMemoryInfo info)
    {
        Expect.That(info.Index > 0 && info.HeapSizeBytes > 0 && info.TotalCommittedBytes > 0, "index and sizes are positive");
        Expect.That(info.FragmentedBytes >= 0 && info.FragmentedBytes <= info.HeapSizeBytes, "fragmentation is a part of the heap");
        Expect.That(info.TotalAvailableMemoryBytes > 0 && info.MemoryLoadBytes > 0, "memory of the machine");
        Expect.That(info.HighMemoryLoadThresholdBytes > 0 && info.HighMemoryLoadThresholdBytes <= info.TotalAvailableMemoryBytes, "threshold of high load");
        Expect.That(info.PauseTimePercentage is >= 0 and <= 100, "share of pauses");
        Expect.Equal(2, info.PauseDurations.Length);
        Expect.That(info.PauseDurations[0] > TimeSpan.Zero && info.PauseDurations[0] < TimeSpan.FromMinutes(1), "the pause took some time");
        Expect.Equal(5, info.GenerationInfo.Length);
        Expect.That(info.PinnedObjectsCount >= 0 && info.FinalizationPendingCount >= 0, "counts");
        for (int i = 0; i < info.GenerationInfo.Length; i++)
        {
            GCGenerationInfo generation = info.GenerationInfo[i];
            Expect.That(generation.SizeBeforeBytes >= 0 && generation.SizeAfterBytes >= 0, "sizes of generations");
            Expect.That(generation.FragmentationBeforeBytes >= 0 && generation.FragmentationAfterBytes >= 0, "fragmentation of generations");
            // The youngest generation may be reported as if its allocation budget were free space in it.
            Expect.That(i < 2 || generation.FragmentationAfterBytes <= generation.SizeAfterBytes, "fragmentation after, within the size");
        }
    }
}
