// A program with a fixed, small young generation.
// Rule: the setting changes when collections happen, not what the program computes.
// Many more young collections, each with a large share of survivors.
// With segments each of several heaps has a budget of its own: half as many collections.

namespace Garner.Conformance;

[Behaviour("setting-gen0size", "DOTNET_GCgen0size (4 MB): a collection comes every 4 MB of garbage, programs run as ever", Settings = "DOTNET_GCgen0size=0x400000", NotOnSegments = true)]
internal static class SettingGen0Size
{
    public static void Run(TextWriter output)
    {
        int came = Heap.Garbage(128);
        Expect.That(came >= 24 && (came <= 48 || Heap.Forced), $"{came} collections for 128 MB");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
