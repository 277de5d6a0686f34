// GC.CollectionCount: what a collection of each generation adds, and relations between the counts.
// Rule: a collection of generation n counts for 0 to n; counts never fall, and count(0) >= count(1) >= count(2).
// Programs and caches poll these numbers; a young collection that does not count is invisible to them.

namespace Garner.Conformance;

[Behaviour("api-collection-count", "GC.CollectionCount(0..2) grows by at least one for each GC.Collect(n) with n at or above the generation")]
internal static class CollectionCounts
{
    public static void Run(TextWriter output)
    {
        for (int round = 0; round < 10; round++)
            for (int generation = 0; generation <= GC.MaxGeneration; generation++)
            {
                int[] before = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)];
                GC.Collect(generation);
                int[] after = new int[3]; // the oldest first: others may collect in between
                for (int g = GC.MaxGeneration; g >= 0; g--)
                    after[g] = GC.CollectionCount(g);
                for (int g = 0; g <= GC.MaxGeneration; g++)
                    Expect.That(after[g] >= before[g] + (g <= generation ? 1 : 0), $"count of generation {g} after collecting {generation}");
                Expect.That(after[0] >= after[1] && after[1] >= after[2], "younger generations are collected at least as often");
            }
        // Allocation alone makes collections come.
        int count = GC.CollectionCount(0);
        for (int i = 0; i < 4000 && GC.CollectionCount(0) == count; i++)
            Heap.Churn(1024);
        Expect.That(GC.CollectionCount(0) > count, "allocation causes collections");
        Expect.Equal(0, GC.CollectionCount(3));
        Expect.Equal(0, GC.CollectionCount(99));
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.CollectionCount(-1), "generation -1");
        output.WriteLine("counts grow");
    }
}
