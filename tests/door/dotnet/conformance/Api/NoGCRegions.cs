// GC.TryStartNoGCRegion in all four overloads: no collection happens while the promised amount is allocated.
// Rule: between TryStart and End allocations up to the total do not collect; the latency mode says NoGCRegion.
// (The runtime's own server collector breaks the promise now and then while it adapts the number of its heaps: that is switched off.)
// The amount must really be there, for small and for large objects, on whichever thread allocates. On Garner what lives is looked at only where memory is
// missing (stock counts collections that it spares itself); and who asks for a collection if one is worth it ends no region where none is.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-region", "the four overloads of TryStartNoGCRegion: allocation up to the total causes no collection, End succeeds", Settings = "DOTNET_GCDynamicAdaptationMode=0")]
internal static class NoGCRegions
{
    public static void Run(TextWriter output)
    {
        const long Total = 60_000_000, Large = 20_000_000;
        // A server collector may promise the total in equal shares to its heaps, and one thread may get no more than its heap's share.
        int shares = GCSettings.IsServerGC ? Environment.ProcessorCount : 1;
        (string Name, Func<bool> Start, bool KnownLarge)[] overloads =
        [
            ("(total)", static () => GC.TryStartNoGCRegion(Total), false),
            ("(total, loh)", static () => GC.TryStartNoGCRegion(Total, Large), true),
            ("(total, disallow)", static () => GC.TryStartNoGCRegion(Total, true), false),
            ("(total, loh, disallow)", static () => GC.TryStartNoGCRegion(Total, Large, false), true),
        ];
        foreach ((string name, Func<bool> start, bool knownLarge) in overloads)
        {
            Heap.Settle();
            int full = GC.CollectionCount(2);
            bool started = start();
            Expect.That(!Heap.OnGarner || Heap.Forced || GC.CollectionCount(2) == full, $"memory that is free costs no full collection {name}");
            // Without a full blocking collection the start may fail; then it simply is not in progress.
            Expect.That(started || name.Contains("disallow)", StringComparison.Ordinal), $"TryStartNoGCRegion{name}");
            if (!started)
                continue;
            int before = GC.CollectionCount(0);
            Expect.Equal(GCLatencyMode.NoGCRegion, GCSettings.LatencyMode);
            if (!Heap.Forced)
                GC.Collect(2, GCCollectionMode.Optimized);
            byte[][] small = new byte[10_000][];
            long allocated = 0;
            for (int i = 0; allocated < (knownLarge ? Total - Large : Total / 2) / shares * 3 / 4; i++)
            {
                small[i % small.Length] = new byte[1000];
                allocated += 1024;
            }
            for (long large = 0; large < Large / shares * 3 / 4; large += 1_000_000)
                GC.KeepAlive(new byte[1_000_000]);
            Expect.Equal(before, GC.CollectionCount(0), $"collections in the region {name}");
            Expect.Equal(GCLatencyMode.NoGCRegion, GCSettings.LatencyMode);
            GC.EndNoGCRegion();
            Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "ended");
            GC.Collect(0);
            Expect.That(GC.CollectionCount(0) > before, "afterwards collections are possible again");
        }
        // Sizes of which a buffer's end loses most: nearly half of it, or a quarter.
        foreach (int size in new[] { 16_360, 10_900, 8_168 })
        {
            Heap.Settle();
            Expect.That(GC.TryStartNoGCRegion(Total), "TryStartNoGCRegion");
            int before = GC.CollectionCount(0);
            for (long allocated = 0; allocated < Total / shares / 10 * 9; allocated += size + 24)
                GC.KeepAlive(new byte[size]);
            Expect.Equal(before, GC.CollectionCount(0), $"collections in the region, objects of {size} bytes");
            GC.EndNoGCRegion();
        }
        output.WriteLine("four overloads");
    }
}
