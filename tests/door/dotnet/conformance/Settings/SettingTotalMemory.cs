// A program that is told how much memory there is.
// Rule: three quarters of it are the heap's limit, as in a container of that size.
// What the machine has in use is no part of such a memory: held against it, that would be a shortage that never ends.

namespace Garner.Conformance;

[Behaviour("setting-total-memory", "DOTNET_GCTotalPhysicalMemory (256 MB): three quarters of it are the limit", Settings = "DOTNET_GCTotalPhysicalMemory=0x10000000")]
internal static class SettingTotalMemory
{
    public static void Run(TextWriter output)
    {
        GC.Collect();
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        long wanted = 192L << 20;
        Expect.That(Math.Abs(info.TotalAvailableMemoryBytes - wanted) < 1 << 20, $"{info.TotalAvailableMemoryBytes} bytes are available");
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new byte[240_000_000]), "more than the limit");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
