// A program whose collector threads are restricted by ranges of processors.
// Rule: as for the mask.
// A setting given as text, which must be parsed without a library.

namespace Garner.Conformance;

[Behaviour("setting-affinity-ranges", "DOTNET_GCHeapAffinitizeRanges=0-0: programs run as ever with collector threads on one processor", Settings = "DOTNET_GCHeapAffinitizeRanges=0-0")]
internal static class SettingAffinityRanges
{
    public static void Run(TextWriter output)
    {
        Expect.Equal("0-0", (string)GC.GetConfigurationVariables()["GCHeapAffinitizeRanges"]);
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
