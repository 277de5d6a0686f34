// GCSettings.LargeObjectHeapCompactionMode and a background collection.
// Rule: CompactOnce is of the next blocking full collection; a background one moves no large objects, and leaves the setting.
// The wish would be lost, and nobody told, were it taken back by a collection that does not compact.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-loh-background", "LargeObjectHeapCompactionMode.CompactOnce outlasts background collections, until a blocking one")]
internal static class LohBackground
{
    public static void Run(TextWriter output)
    {
        byte[][] large = [.. Enumerable.Range(0, 100).Select(static i => new byte[100_000 + i])];
        Expect.That(Kept(), "a background collection leaves it");
        GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
        Heap.Full();
        Expect.Equal(GCLargeObjectHeapCompactionMode.Default, GCSettings.LargeObjectHeapCompactionMode);
        GC.KeepAlive(large);
        output.WriteLine("kept, then over");
    }

    // True where no background collection comes, too. A blocking one may come between.
    private static bool Kept()
    {
        for (int attempt = 0; attempt < 20; attempt++)
        {
            long background = GC.GetGCMemoryInfo(GCKind.Background).Index, blocking = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;
            GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
            GC.Collect(2, GCCollectionMode.Default, blocking: false);
            Heap.Wait(() => GC.GetGCMemoryInfo(GCKind.Background).Index != background || GC.GetGCMemoryInfo(GCKind.FullBlocking).Index != blocking);
            if (GC.GetGCMemoryInfo(GCKind.Background).Index == background || GCSettings.LargeObjectHeapCompactionMode == GCLargeObjectHeapCompactionMode.CompactOnce)
                return true;
        }
        return false;
    }
}
