// GCLatencyMode.SustainedLowLatency and GCLatencyMode.Batch, set while the program runs, with concurrent collection.
// Rule: under SustainedLowLatency old collections that come by themselves are background collections, however much the program keeps; under Batch none is, and one that is asked
// for without waiting has stopped the program when the call returns. Interactive has background collections again.
// The mode must reach whoever decides about the next collection, and what was begun under another mode must come to its end.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-latency-sustained", "SustainedLowLatency: what is kept grows and no blocking full collection comes; Batch: no background one; both can be changed while the program runs", Settings = Background.On)]
internal static class LatencySustained
{
    private sealed class Link(Link? next)
    {
        public Link? Next = next;
        public readonly long A = 1, B = 2, C = 3;
    }

    private static Link? Grow(int links)
    {
        Link? chain = null;
        for (int i = 0; i < links; i++)
            chain = new Link(chain);
        return chain;
    }

    private static long Blocking => GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;

    public static void Run(TextWriter output)
    {
        Expect.Equal(GCLatencyMode.Interactive, GCSettings.LatencyMode, "the mode at the start");
        Background.KeepMuch();
        GCSettings.LatencyMode = GCLatencyMode.SustainedLowLatency;
        Expect.Equal(GCLatencyMode.SustainedLowLatency, GCSettings.LatencyMode);
        long blocking = Blocking;
        Link? chain = Grow(Work.Scaled(4_000_000));
        Expect.That(!Heap.OnGarner || Heap.Forced || Blocking == blocking, "no blocking full collection came by itself"); // stock has some where the heap is small
        Expect.That(Background.Collect() || Heap.Forced, "a background collection that is asked for");

        GCSettings.LatencyMode = GCLatencyMode.Batch;
        Expect.Equal(GCLatencyMode.Batch, GCSettings.LatencyMode);
        GC.Collect(); // what was begun before has ended
        long background = Background.Last.Index;
        blocking = Blocking;
        GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        Expect.That(Blocking > blocking, "under Batch the call returns when it is done");
        Link? more = Grow(Work.Scaled(3_000_000));
        Thread.Sleep(100);
        Expect.That(Heap.Forced || Background.Last.Index == background, "no background collection under Batch");

        GCSettings.LatencyMode = GCLatencyMode.Interactive;
        Expect.That(Background.Collect() || Heap.Forced, "Interactive has background collections again");
        int links = 0;
        for (Link? link = chain; link != null; link = link.Next)
            links += (int)(link.C - link.B);
        for (Link? link = more; link != null; link = link.Next)
            links += (int)(link.C - link.B);
        Expect.Equal(Work.Scaled(4_000_000) + Work.Scaled(3_000_000), links);
        output.WriteLine("modes taken");
    }
}
