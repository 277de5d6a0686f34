// A no-GC region larger than the memory there is.
// Rule: it is refused: false (ArgumentOutOfRangeException is for collectors with segments); no region is in progress.
// The amount must be held against the hard limit before anything is reserved.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-nogc-too-large", "TryStartNoGCRegion beyond the hard limit is refused", Settings = "DOTNET_GCHeapHardLimit=0xD000000")]
internal static class NoGCTooLarge
{
    public static void Run(TextWriter output)
    {
        foreach (long total in new[] { 1_000_000_000, 1L << 45, long.MaxValue / 2 })
            Expect.That(!GC.TryStartNoGCRegion(total), $"a region of {total} bytes under a limit of 208 MB");
        Expect.That(GCSettings.LatencyMode != GCLatencyMode.NoGCRegion, "no region is in progress");
        output.WriteLine("refused");
    }
}
