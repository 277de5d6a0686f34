// The latency mode of a process started with concurrent collection switched off.
// Rule: without concurrent collection the mode is Batch, and nothing is collected beside the program. An option of Garner's own that asks for that is more explicit.
// Programs read the mode to see which kind of collector they run on.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-latency-nonconcurrent", "with gcConcurrent=0 GCSettings.LatencyMode starts as Batch and collections work", Settings = "DOTNET_gcConcurrent=0")]
internal static class LatencyBatch
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(Heap.MarksBeside ? GCLatencyMode.Interactive : GCLatencyMode.Batch, GCSettings.LatencyMode);
        Heap.Churn(2048);
        GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        Heap.Full();
        Expect.That(!GC.GetGCMemoryInfo(GCKind.FullBlocking).Concurrent, "nothing concurrent");
        Expect.That(Heap.MarksBeside || GC.GetGCMemoryInfo(GCKind.Background).Index == 0, "no background collection");
        output.WriteLine("as asked");
    }
}
