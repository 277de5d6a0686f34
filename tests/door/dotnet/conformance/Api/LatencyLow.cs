// GCLatencyMode.LowLatency: a program holds back full collections for a short while.
// Rule: while the mode lasts no full collection comes by itself, however much is promoted, but for lack of memory; one that is asked for does.
// The mode exists for workstation only; collections that a stress setting forces are not the collector's own choice.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-latency-low", "GCLatencyMode.LowLatency: what is kept may grow much, small objects and large ones, and no full collection comes unasked; GC.Collect still works")]
internal static class LatencyLow
{
    private sealed class Link(Link? next)
    {
        public readonly Link? Next = next;
        public readonly long A = 1, B = 2, C = 3;
    }

    public static void Run(TextWriter output)
    {
        GCLatencyMode initial = GCSettings.LatencyMode;
        Heap.Full();
        GCSettings.LatencyMode = GCLatencyMode.LowLatency;
        bool taken = GCSettings.LatencyMode == GCLatencyMode.LowLatency;
        int before = GC.CollectionCount(2);
        Link? chain = null;
        int links = Work.Scaled(3_000_000);
        for (int i = 0; i < links; i++)
            chain = new Link(chain);
        int came = GC.CollectionCount(2) - before;
        Expect.That(!taken || Heap.Forced || came == 0, $"{came} full collections came unasked");
        before = GC.CollectionCount(2);
        byte[]?[] large = new byte[]?[Work.Scaled(300)];
        for (int i = 0; i < large.Length; i++)
        {
            large[i] = new byte[1 << 20];
            if (i % 2 == 0)
                large[i / 2] = null;
        }
        came = GC.CollectionCount(2) - before;
        Expect.That(!taken || Heap.Forced || came == 0, $"{came} full collections came unasked for large objects");
        GC.KeepAlive(large);
        before = GC.CollectionCount(2);
        GC.Collect();
        Expect.That(GC.CollectionCount(2) > before, "a full collection that is asked for");
        int found = 0;
        for (Link? link = chain; link != null; link = link.Next)
            found += (int)(link.C - link.B);
        Expect.Equal(links, found);
        GCSettings.LatencyMode = initial;
        output.WriteLine("held back");
    }
}
