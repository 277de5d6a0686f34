// A hard limit on the heap, in bytes.
// Rule: TotalAvailableMemoryBytes is the limit; more than the limit cannot be allocated; less can.
// Everything the collector needs beside the objects counts against the limit too.

namespace Garner.Conformance;

[Behaviour("setting-hard-limit", "DOTNET_GCHeapHardLimit (256 MB): reported as available memory, exceeded never, programs within it run as ever", Settings = "DOTNET_GCHeapHardLimit=0x10000000")]
internal static class SettingHardLimit
{
    public static void Run(TextWriter output)
    {
        GC.Collect();
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        Expect.Equal(0x10000000L, info.TotalAvailableMemoryBytes);
        Expect.Equal(0x10000000L, (long)GC.GetConfigurationVariables()["GCHeapHardLimit"]);
        Expect.That(info.HighMemoryLoadThresholdBytes > info.TotalAvailableMemoryBytes, "the load is the machine's, whatever the heap may have of it");
        Expect.That(info.TotalCommittedBytes <= info.TotalAvailableMemoryBytes, "less is committed than the limit");
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new byte[300_000_000]), "an array above the limit");
        output.WriteLine($"checksum {Workload.Run():x16}");
        GC.Collect();
        Expect.That(GC.GetGCMemoryInfo().TotalCommittedBytes <= 0x10000000, "still less is committed");
    }
}
