// A program without write-xor-execute protection of code.
// Rule: the write barrier is patched directly instead of through a second mapping.
// The barrier code exists in another place.

namespace Garner.Conformance;

[Behaviour("setting-no-wxorx", "DOTNET_EnableWriteXorExecute=0: barriers are patched in place, programs run as ever", Settings = "DOTNET_EnableWriteXorExecute=0")]
internal static class SettingNoWriteXor
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
