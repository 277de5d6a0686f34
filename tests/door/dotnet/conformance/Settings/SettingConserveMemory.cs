// A program that asks the collector to keep the heap small.
// Rule: more compaction, the same results.
// Full collections compact where they would otherwise leave gaps.

namespace Garner.Conformance;

[Behaviour("setting-conserve-memory", "DOTNET_GCConserveMemory=7: programs run as ever", Settings = "DOTNET_GCConserveMemory=0x7")]
internal static class SettingConserveMemory
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
