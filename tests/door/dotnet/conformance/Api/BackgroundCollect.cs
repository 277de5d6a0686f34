// GC.Collect without waiting for it, with concurrent collection.
// Rule: the call begins a collection beside the program and returns; it comes to its end though the program allocates nothing; what it found dead is gone then. A second call
// while it lasts is no error. Its record says that it was concurrent, and it is none of the blocking ones.
// Somebody must stop the program once more at its end, and no thread of the program comes by.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-background-collect", "GC.Collect(2, blocking: false) ends by itself, clears what is dead, and has a record of its own", Settings = Background.On)]
internal static class BackgroundCollect
{
    private static object? s_kept;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Old()
    {
        object dead = new int[100];
        Heap.Age(dead);
        return new WeakReference(dead);
    }

    public static void Run(TextWriter output)
    {
        s_kept = Enumerable.Range(0, 1000).Select(static i => new[] { i }).ToArray();
        Background.KeepMuch();
        Heap.Full();
        for (int round = 0; round < 5; round++)
        {
            WeakReference weak = Old();
            long index = Background.Last.Index, blocking = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;
            int count = GC.CollectionCount(2);
            if (!Background.Collect() && Heap.Forced)
                break; // forced full collections give it up
            Expect.That(Background.Last.Index > index || !Heap.OnGarner, $"round {round}: it ends without allocation");
            Expect.That(GC.CollectionCount(2) > count, "it is counted");
            for (int again = 0; again < 3 && Heap.Forced && weak.IsAlive; again++)
                Background.Collect(); // one that was under way already, as a stress setting begins them, may have found it alive
            Expect.That(Heap.Wait(() => !weak.IsAlive), "what was dead is gone");
            if (!Heap.OnGarner)
                continue; // see Background.Collect
            GCMemoryInfo info = Background.Last;
            Expect.That(info.Concurrent && info.Generation == 2 && info.Index > index && !info.Compacted, $"its record: {info.Concurrent} {info.Generation} {info.Index} {info.Compacted}");
            Expect.That(info.PauseDurations[0] > TimeSpan.Zero && info.PauseDurations[1] > TimeSpan.Zero, "it has two pauses");
            Expect.That(info.HeapSizeBytes > 0 && info.TotalCommittedBytes > 0 && info.PromotedBytes > 0, "its sizes");
            Expect.That(!GC.GetGCMemoryInfo(GCKind.FullBlocking).Concurrent, "a blocking one is none of them");
            Expect.That(Heap.Forced || GC.GetGCMemoryInfo(GCKind.FullBlocking).Index == blocking, "and none of them came");
        }
        for (int i = 0; i < 10; i++)
            GC.Collect(2, (GCCollectionMode)(i % 3), blocking: false);
        long last = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;
        GC.Collect();
        Expect.That(GC.GetGCMemoryInfo(GCKind.FullBlocking).Index > last, "a blocking one is not served by one that is under way");
        int sum = 0;
        foreach (int[] one in (int[][])s_kept)
            sum += one[0] & 1;
        Expect.Equal(500, sum);
        output.WriteLine("beside the program");
    }
}
