// GC.RefreshMemoryLimit while a no-GC region lasts.
// Rule: the region was promised memory of the limit that there is: a limit below what is in use is refused, and nothing is collected to come below it.
// Taking over a limit may collect; in here that would break the region without a word.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-refresh", "GC.RefreshMemoryLimit in a no-GC region refuses a limit below what is in use, without a collection; the region ends well", Settings = "DOTNET_GCHeapHardLimit=0x18000000", NotOnSegments = true)]
internal static class NoGCRefresh
{
    public static void Run(TextWriter output)
    {
        Expect.That(GC.TryStartNoGCRegion(60_000_000), "a region of 60 MB");
        byte[][] kept = new byte[5][];
        for (int i = 0; i < kept.Length; i++)
        {
            kept[i] = new byte[10_000_000];
            kept[i].AsSpan().Fill(1);
        }
        int before = GC.CollectionCount(0);
        AppContext.SetData("GCHeapHardLimit", 30_000_000UL);
        Expect.Throws<InvalidOperationException>(GC.RefreshMemoryLimit, "a limit below what is in use");
        AppContext.SetData("GCHeapHardLimit", 0x18000000UL);
        Expect.Equal(before, GC.CollectionCount(0), "collections in the region");
        Expect.Equal(GCLatencyMode.NoGCRegion, GCSettings.LatencyMode);
        GC.EndNoGCRegion();
        GC.RefreshMemoryLimit();
        Expect.Equal(0x18000000L, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        GC.KeepAlive(kept);
        output.WriteLine("kept its promise");
    }
}
