// Background collections: asking for one without waiting, and waiting for it.

namespace Garner.Conformance;

internal static class Background
{
    /// <summary>What a process is started with that has them, on stock and on Garner; a blank separates two assignments.</summary>
    public const string On = "DOTNET_gcConcurrent=1 DOTNET_GCGarner=marking=concurrent";

    private static int[][]? s_kept;

    /// <summary>Keeps so much that no collector finds the heap too small for one.</summary>
    public static void KeepMuch() => s_kept ??= [.. Enumerable.Range(0, 400_000).Select(static i => new[] { i, i })];

    public static GCMemoryInfo Last => GC.GetGCMemoryInfo(GCKind.Background);

    /// <summary>Asks for one and waits until it has ended; nothing is allocated meanwhile that would bring another collection. False when none ended. A collection that
    /// stops the program, as a stress setting may force, may come instead: then another is asked for. Stock is free to stop the program for it, and often does where the heap
    /// is small: there any full collection will do.</summary>
    public static bool Collect()
    {
        for (int attempt = 0; attempt < 5; attempt++)
        {
            long before = Last.Index;
            int count = GC.CollectionCount(2);
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            for (int i = 0; i < 400; i++)
            {
                if (Heap.OnGarner ? Last.Index != before : GC.CollectionCount(2) != count)
                    return true;
                Thread.Sleep(5);
            }
        }
        return false;
    }
}
