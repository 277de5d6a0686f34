// GC.Collect(2, Optimized) inside a no-GC region that began while old objects were being marked beside the program.
// Rule: a collection that is due is waited for, and no region lasts beside one: either it ends the region or it does nothing. It comes back in any case, though no marking ends while
// a region lasts.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-optimized", "GC.Collect(2, Optimized) comes back in no-GC regions that began while a background collection was on its way", Settings = "DOTNET_GCDynamicAdaptationMode=0")]
internal static class NoGCOptimized
{
    public static void Run(TextWriter output)
    {
        Background.KeepMuch();
        int regions = 0;
        for (int grown = 8; grown <= 28; grown += 4)
        {
            Heap.Settle();
            byte[][] large = new byte[grown][]; // so much that a collection is worth it, and none is due
            for (int i = 0; i < large.Length; i++)
                large[i] = new byte[1_000_000];
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            if (!GC.TryStartNoGCRegion(1_000_000))
                continue;
            regions++;
            GC.Collect(2, GCCollectionMode.Optimized);
            GC.KeepAlive(large);
            if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
                GC.EndNoGCRegion();
        }
        Expect.That(regions >= 1, "a region began");

        // The other way round: who waits already comes back when a region begins, though that lasts until it has.
        for (int round = 0; round < 5; round++)
        {
            Heap.Settle();
            byte[][] large = new byte[16][];
            for (int i = 0; i < large.Length; i++)
                large[i] = new byte[1_000_000];
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            Thread waits = new(static () => GC.Collect(2, GCCollectionMode.Optimized));
            waits.Start();
            bool began = GC.TryStartNoGCRegion(1_000_000);
            waits.Join();
            GC.KeepAlive(large);
            if (began && GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
                GC.EndNoGCRegion();
        }
        GC.Collect();
        Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "no region is left");
        output.WriteLine("regions began, and all came back");
    }
}
