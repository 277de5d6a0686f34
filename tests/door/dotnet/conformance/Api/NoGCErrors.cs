// Wrong uses of no-GC regions: bad amounts, End without start, a latency mode set inside, a second start.
// Rule: each is refused with its exception, and the collector is as before.
// The refusals are decided by status codes that the collector returns.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-errors", "bad amounts, End without start, setting the latency mode inside, and a second start are refused")]
internal static class NoGCErrors
{
    public static void Run(TextWriter output)
    {
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.TryStartNoGCRegion(0), "total 0");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.TryStartNoGCRegion(-1), "total -1");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.TryStartNoGCRegion(1000, 2000), "more large than total");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.TryStartNoGCRegion(1000, -1), "negative large amount");
        Expect.Throws<InvalidOperationException>(GC.EndNoGCRegion, "End without start");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GCSettings.LatencyMode = GCLatencyMode.NoGCRegion, "the mode cannot be set directly");
        Expect.Throws<InvalidOperationException>(static () => GC.RegisterNoGCRegionCallback(1000, static () => { }), "a callback without a region");

        Expect.That(GC.TryStartNoGCRegion(1_000_000), "a region");
        Expect.Throws<InvalidOperationException>(static () => GCSettings.LatencyMode = GCLatencyMode.Batch, "setting a mode inside");
        Expect.Equal(GCLatencyMode.NoGCRegion, GCSettings.LatencyMode);
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.RegisterNoGCRegionCallback(-1, static () => { }), "a negative amount");
        Expect.Throws<ArgumentNullException>(static () => GC.RegisterNoGCRegionCallback(1, null!), "no callback");
        Expect.Throws<InvalidOperationException>(static () => GC.RegisterNoGCRegionCallback(1L << 40, static () => { }), "more than the region");
        GC.EndNoGCRegion();

        Expect.That(GC.TryStartNoGCRegion(1_000_000), "another region");
        Expect.Throws<InvalidOperationException>(static () => GC.TryStartNoGCRegion(1_000_000), "a second start");
        try
        {
            // Whether the first region outlives a refused second start is not written down anywhere.
            GC.EndNoGCRegion();
        }
        catch (InvalidOperationException)
        {
        }
        Heap.Full();
        Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "no region in the end");
        output.WriteLine("refused");
    }
}
