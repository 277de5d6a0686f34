// A program whose stacks are scanned conservatively.
// Rule: every word on a stack may be a pointer into an object: it keeps and pins that object.
// Words may point anywhere: into gaps, dead objects, past the end, into half a header.

namespace Garner.Conformance;

[Behaviour("setting-conservative-roots", "DOTNET_gcConservative=1: all stack roots are ambiguous and pinned, programs run as ever", Settings = "DOTNET_gcConservative=1")]
internal static class SettingConservative
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
