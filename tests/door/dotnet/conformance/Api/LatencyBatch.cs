// The latency mode of a process started with concurrent collection switched off.
// Rule: without concurrent collection the mode is Batch.
// Programs read the mode to see which kind of collector they run on.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-latency-nonconcurrent", "with gcConcurrent=0 GCSettings.LatencyMode starts as Batch and collections work", Settings = "DOTNET_gcConcurrent=0")]
internal static class LatencyBatch
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(GCLatencyMode.Batch, GCSettings.LatencyMode);
        output.WriteLine(GCSettings.LatencyMode);
        Heap.Churn(2048);
        GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        Heap.Full();
        Expect.That(!GC.GetGCMemoryInfo(GCKind.FullBlocking).Concurrent, "nothing concurrent");
        Expect.Equal(0, GC.GetGCMemoryInfo(GCKind.Background).Index, "index of the last background collection");
    }
}
