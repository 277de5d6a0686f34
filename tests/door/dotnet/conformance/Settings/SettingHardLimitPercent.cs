// A hard limit on the heap as a share of the machine's memory.
// Rule: TotalAvailableMemoryBytes is that share.
// The machine's memory is what the container allows, if that is less.

namespace Garner.Conformance;

[Behaviour("setting-hard-limit-percent", "DOTNET_GCHeapHardLimitPercent=10: available memory is a tenth of the machine's", Settings = "DOTNET_GCHeapHardLimitPercent=0xA")]
internal static class SettingHardLimitPercent
{
    public static void Run(TextWriter output)
    {
        GC.Collect();
        long available = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        string line = File.ReadLines("/proc/meminfo").First(static l => l.StartsWith("MemTotal:", StringComparison.Ordinal));
        long machine = long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) * 1024;
        Expect.That(available > 0 && available <= machine / 10 + machine / 100, "at most a tenth of the machine's memory");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
