// A no-GC region that begins while old objects are being marked beside the program, and lasts a second.
// Rule: what waits for the region's end waits: no thread of the collector's wakes again and again to see whether it is over. When it is over the marking ends soon, without allocation.
// A thread that looks every few milliseconds costs a program its processors' sleep for as long as a region lasts.

namespace Garner.Conformance;

[Behaviour("api-nogc-quiet", "in a no-GC region that began while a background collection was on its way the collector's threads sleep; that ends soon after", Settings = "DOTNET_GCDynamicAdaptationMode=0")]
internal static class NoGCQuiet
{
    public static void Run(TextWriter output)
    {
        Background.KeepMuch();
        Heap.Full();
        int begun = 0;
        for (int round = 0; round < 3; round++)
        {
            long index = Background.Last.Index;
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            if (!GC.TryStartNoGCRegion(1_000_000))
                continue;
            begun++;
            Thread.Sleep(300); // what there is to mark is marked
            long before = Wakes();
            Thread.Sleep(1000);
            long woken = Wakes() - before;
            bool waits = Background.Last.Index == index;
            GC.EndNoGCRegion();
            Expect.That(woken <= 20, $"the collector's threads woke {woken} times in a second");
            if (Heap.OnGarner && !Heap.Forced && waits)
                Expect.That(Heap.Wait(() => Background.Last.Index > index), "the marking ends when the region has");
        }
        Expect.That(begun > 0, "a region began");
        output.WriteLine("quiet");
    }

    private static long Wakes()
    {
        long all = 0;
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                if (File.ReadAllText(task + "/comm").Trim() is not (".NET GC Worker" or ".NET BGC" or ".NET Server GC"))
                    continue;
                foreach (string line in File.ReadLines(task + "/status"))
                    if (line.StartsWith("voluntary_ctxt_switches:", StringComparison.Ordinal))
                        all += long.Parse(line.AsSpan(24));
            }
            catch (IOException)
            {
                // A thread that ended meanwhile is none of the collector's.
            }
        }
        return all;
    }
}
