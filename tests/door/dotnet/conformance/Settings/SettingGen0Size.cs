// A program with a fixed, small young generation.
// Rule: the setting changes when collections happen, not what the program computes.
// Many more young collections, each with a large share of survivors.

namespace Garner.Conformance;

[Behaviour("setting-gen0size", "DOTNET_GCgen0size (4 MB): programs run as ever with a small young budget", Settings = "DOTNET_GCgen0size=0x400000")]
internal static class SettingGen0Size
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
