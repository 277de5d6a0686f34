// GC.GetGeneration of small objects as they grow older, and through weak references.
// Rule: new objects are in generation 0; survivors reach MaxGeneration (2).
// Collectors with more or fewer ages inside must still answer 0, 1 or 2.

namespace Garner.Conformance;

[Behaviour("api-generation", "GC.GetGeneration: 0 when new, MaxGeneration after surviving, never outside 0..2, also through WeakReference")]
internal static class Generations
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(2, GC.MaxGeneration);
        int fresh = 0;
        for (int i = 0; i < 1000; i++)
            if (GC.GetGeneration(new object()) == 0)
                fresh++;
        Expect.That(fresh > 900, "new objects are in generation 0");
        object[] all = [new object(), new int[10], "made".ToUpperInvariant(), new List<int>()];
        WeakReference weak = new(all[1]);
        // A collector may put an object back into a younger generation, so what counts is the oldest one it was seen in.
        int[] oldest = new int[all.Length];
        for (int round = 0; round < 30; round++)
        {
            for (int i = 0; i < all.Length; i++)
            {
                int generation = GC.GetGeneration(all[i]);
                Expect.That(generation is >= 0 and <= 2, "generation 0, 1 or 2");
                oldest[i] = Math.Max(oldest[i], generation);
            }
            Heap.Full();
        }
        foreach (int generation in oldest)
            Expect.Equal(2, generation);
        Expect.That(GC.GetGeneration(weak) is >= 0 and <= 2, "through a weak reference");
        Expect.Throws<ArgumentNullException>(static () => GC.GetGeneration(new WeakReference(null)), "generation of nothing");
        GC.KeepAlive(all);
        output.WriteLine("0 to 2");
    }
}
