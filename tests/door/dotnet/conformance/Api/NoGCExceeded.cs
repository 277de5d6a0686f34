// A no-GC region in which more is allocated than was asked for, and one in which a collection is asked for.
// Rule: the region ends by itself; EndNoGCRegion then throws InvalidOperationException; the program goes on as normal.
// Leaving the region from inside an allocation must restore mode, budget and triggers.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-exceeded", "allocating beyond the total, or GC.Collect, ends a no-GC region, and EndNoGCRegion says so")]
internal static class NoGCExceeded
{
    public static void Run(TextWriter output)
    {
        for (int round = 0; round < 2; round++)
        {
            Heap.Settle();
            Expect.That(GC.TryStartNoGCRegion(1_000_000), "a small region");
            int before = GC.CollectionCount(0);
            List<byte[]> kept = [];
            for (int i = 0; i < 2_000_000 && GC.CollectionCount(0) == before; i++)
            {
                byte[] made = new byte[1000];
                if (i % 100 == 0)
                    kept.Add(made);
            }
            Expect.That(GC.CollectionCount(0) > before, "allocation far beyond the total collects");
            Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "which ends the region");
            Expect.Throws<InvalidOperationException>(GC.EndNoGCRegion, "End after exceeding");

            Heap.Settle();
            Expect.That(GC.TryStartNoGCRegion(10_000_000), "another region");
            before = GC.CollectionCount(2);
            GC.Collect();
            Expect.That(GC.CollectionCount(2) > before, "an induced collection happens");
            Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "and ends the region");
            Expect.Throws<InvalidOperationException>(GC.EndNoGCRegion, "End after an induced collection");
            GC.KeepAlive(kept);
        }
        Expect.That(GC.TryStartNoGCRegion(10_000_000), "a region after all that");
        GC.EndNoGCRegion();

        // Large objects, too; stock lets them have what there is.
        Heap.Settle();
        Expect.That(GC.TryStartNoGCRegion(10_000_000), "a region for large objects");
        for (int i = 0; i < 40; i++)
            GC.KeepAlive(new byte[1_000_000]);
        if (Heap.OnGarner)
            Expect.Throws<InvalidOperationException>(GC.EndNoGCRegion, "End after large objects of four times as much");
        else if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
            GC.EndNoGCRegion();
        output.WriteLine("regions ended by themselves");
    }
}
