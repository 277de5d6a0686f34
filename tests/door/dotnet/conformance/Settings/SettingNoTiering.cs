// A program whose methods are all compiled once, fully optimised.
// Rule: roots are where optimised code keeps them.
// References live in more registers and for a shorter time.

namespace Garner.Conformance;

[Behaviour("setting-no-tiering", "DOTNET_TieredCompilation=0: the mixed workload in fully optimised code only", Settings = "DOTNET_TieredCompilation=0")]
internal static class SettingNoTiering
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
