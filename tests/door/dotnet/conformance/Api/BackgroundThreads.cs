// Threads that ask for collections of every kind at once, with concurrent collection.
// Rule: each call returns, whatever is under way: a background collection, its end, or a blocking one that supersedes it.
// The end of a background collection is made by a thread that no thread of the program may wait for while it holds what that thread needs.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-background-threads", "blocking and non-blocking collections, latency modes and no-GC regions from several threads at once do not wait for each other for ever", Settings = Background.On)]
internal static class BackgroundThreads
{
    public static void Run(TextWriter output)
    {
        Background.KeepMuch();
        GCLatencyMode initial = GCSettings.LatencyMode;
        Dictionary<int, object>[] tables = new Dictionary<int, object>[4];
        Crew.Run(4, number =>
        {
            Dice dice = new((ulong)number + 1);
            Dictionary<int, object> kept = tables[number] = [];
            int rounds = Work.Scaled(120, 10);
            for (int i = 0; i < rounds; i++)
            {
                for (int k = 0; k < 500; k++)
                    kept[dice.Below(5000)] = new object[dice.Below(20)];
                switch (dice.Below(8))
                {
                    case 0: GC.Collect(); break;
                    case 1: GC.Collect(0); break;
                    case 2: GC.Collect(1); break;
                    case 3: Thread.Sleep(dice.Below(30)); break;
                    case 4 when number == 1: // as the regions without collections, which refuse a change of mode
                        if (GCSettings.LatencyMode != GCLatencyMode.NoGCRegion)
                            GCSettings.LatencyMode = (GCLatencyMode)(dice.Below(2) * 3); // Batch or SustainedLowLatency
                        break;
                    case 5 when number == 1:
                        if (GC.TryStartNoGCRegion(1 << 20))
                        {
                            Thread.Sleep(1);
                            if (GCSettings.LatencyMode == GCLatencyMode.NoGCRegion)
                                try { GC.EndNoGCRegion(); } catch (InvalidOperationException) { } // another thread's collection ended it
                        }
                        break;
                    default: GC.Collect(2, GCCollectionMode.Forced, blocking: false); break;
                }
            }
        });
        GCSettings.LatencyMode = GCLatencyMode.Interactive;
        GC.Collect();
        Expect.That(Background.Collect() || Heap.Forced, "afterwards one comes to its end");
        GCSettings.LatencyMode = initial;
        Expect.That(tables.All(static t => t.Values.All(static v => v is object[])), "what is kept lives");
        output.WriteLine("all returned");
    }
}
