// A program whose collector threads may use the first processor only.
// Rule: the mask restricts workers, the program's threads run everywhere.
// Workers that spin for each other on one processor make no progress.

namespace Garner.Conformance;

[Behaviour("setting-affinity-mask", "DOTNET_GCHeapAffinitizeMask=1: programs run as ever with collector threads on one processor", Settings = "DOTNET_GCHeapAffinitizeMask=0x1")]
internal static class SettingAffinityMask
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(1L, (long)GC.GetConfigurationVariables()["GCHeapAffinitizeMask"]);
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
