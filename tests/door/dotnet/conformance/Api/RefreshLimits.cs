// GC.RefreshMemoryLimit after the program has changed the hard limit.
// Rule: the collector takes over the new limit; a limit below what is in use is refused with InvalidOperationException.
// The limit is read again from the configuration while the heap is in use.

namespace Garner.Conformance;

[Behaviour("api-refresh-memory-limit", "GC.RefreshMemoryLimit takes over GCHeapHardLimit from AppContext, refuses one that is too low", Settings = "DOTNET_GCHeapHardLimit=0x18000000", NotOnSegments = true)]
internal static class RefreshLimits
{
    private static long Total()
    {
        GC.Collect();
        return GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
    }

    public static void Run(TextWriter output)
    {
        Expect.Equal(0x18000000L, Total());
        GC.RefreshMemoryLimit();
        Expect.Equal(0x18000000L, Total());
        AppContext.SetData("GCHeapHardLimit", 300_000_000UL);
        GC.RefreshMemoryLimit();
        Expect.Equal(300_000_000L, Total());
        AppContext.SetData("GCHeapHardLimit", 350_000_000UL);
        GC.RefreshMemoryLimit();
        Expect.Equal(350_000_000L, Total());
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new byte[500_000_000]), "more than the limit");
        AppContext.SetData("GCHeapHardLimit", 1000UL);
        Expect.Throws<InvalidOperationException>(GC.RefreshMemoryLimit, "a limit below what is in use");
        AppContext.SetData("GCHeapHardLimit", 350_000_000UL);
        GC.RefreshMemoryLimit();
        Heap.Churn(4096);
        output.WriteLine(Total());
    }
}
