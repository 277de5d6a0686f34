// GC.Collect of all generations from many threads at once, with others allocating and pinning.
// Rule: a blocking Collect returns after a collection of at least that generation that began after the call; callers may share one.
// Two threads that want to stop the world, each waiting for the other, is the classic deadlock.

namespace Garner.Conformance;

[Behaviour("thread-collect", "GC.Collect from eight threads at once, blocking and not, beside allocating threads, neither hangs nor loses counts")]
internal static class ParallelCollect
{
    public static void Run(TextWriter output)
    {
        int calls = Work.Scaled(30, 4);
        int before = GC.CollectionCount(0);
        Crew.Run(12, number =>
        {
            if (number >= 8)
            {
                List<object> kept = [];
                for (int i = 0; i < Work.Scaled(40_000, 2000); i++)
                {
                    object made = new int[] { i };
                    if (i % 50 == 0)
                        kept.Add(made);
                }
                for (int i = 0; i < kept.Count; i++)
                    Expect.Equal(i * 50, ((int[])kept[i])[0]);
                return;
            }
            int[] local = [number];
            for (int i = 0; i < calls; i++)
            {
                int generation = (number + i) % 3;
                int count = GC.CollectionCount(generation);
                GC.Collect(generation, GCCollectionMode.Forced, blocking: (number + i) % 4 != 0);
                if ((number + i) % 4 != 0)
                    Expect.That(GC.CollectionCount(generation) > count, $"generation {generation} was collected");
                Expect.Equal(number, local[0]);
            }
        });
        Expect.That(GC.CollectionCount(0) > before, "collections ran");
        output.WriteLine("8 collecting, 4 allocating");
    }
}
