// Regions without collections, each for one large array, with more and more of the limit in use: what TryStartNoGCRegion has granted can be allocated, without a collection. The collector keeps
// some memory back from large objects near the limit; what it has promised is no part of that. Stock runs out of memory between such regions, so this is not among the behaviours that are
// compared with it.

namespace Garner.Endurance;

internal static class Promised
{
    public static void Run()
    {
        List<byte[]> kept = [];
        int granted = 0, held = 0;
        for (int megabytes = 10; megabytes <= 85; megabytes += 15)
        {
            while (kept.Count < megabytes)
                kept.Add(new byte[1_000_000]);
            for (int total = 60_000_000; total >= 4_000_000; total -= 500_000)
            {
                if (!GC.TryStartNoGCRegion(total))
                    continue;
                granted++;
                held += Fill(total) ? 1 : 0;
                break;
            }
        }
        Console.WriteLine($"granted {granted}");
        Console.WriteLine($"held {held}");
        GC.KeepAlive(kept);
    }

    private static bool Fill(int total)
    {
        int before = GC.CollectionCount(0);
        try
        {
            byte[] array = new byte[total - 64];
            array[^1] = 1;
            bool good = GC.CollectionCount(0) == before;
            GC.EndNoGCRegion();
            GC.KeepAlive(array);
            return good;
        }
        catch (Exception e) when (e is OutOfMemoryException or InvalidOperationException)
        {
            return false;
        }
    }
}
