// A program with a fixed, large young generation.
// Rule: the setting changes when collections happen, not what the program computes.
// A budget beyond the usual size of the young space must not break its layout.

namespace Garner.Conformance;

[Behaviour("setting-gen0size-large", "DOTNET_GCgen0size (256 MB): 200 MB of garbage need two collections at most, programs run as ever", Settings = "DOTNET_GCgen0size=0x10000000")]
internal static class SettingGen0SizeLarge
{
    public static void Run(TextWriter output)
    {
        int came = Heap.Garbage(200);
        Expect.That(came <= 2 || Heap.Forced, $"{came} collections for 200 MB");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
