// A program that keeps memory for later instead of giving it back.
// Rule: kept memory is used again, zeroed.
// Memory that is not given back is not zeroed by the system.

namespace Garner.Conformance;

[Behaviour("setting-retain-vm", "DOTNET_GCRetainVM=1: programs run as ever while memory is kept", Settings = "DOTNET_GCRetainVM=1")]
internal static class SettingRetainVM
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
