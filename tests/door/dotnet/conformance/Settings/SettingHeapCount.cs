// A program restricted to one heap, which means one worker for a server collector.
// Rule: parallelism changes, results do not.
// Code for many workers must run with one.

namespace Garner.Conformance;

[Behaviour("setting-heap-count", "DOTNET_GCHeapCount=1: programs run as ever with one heap", Settings = "DOTNET_GCHeapCount=0x1")]
internal static class SettingHeapCount
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
