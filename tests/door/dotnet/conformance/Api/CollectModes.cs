// GC.Collect in every mode and combination, and its argument checks.
// Rule: Default and Forced collect at once, Optimized may decline, Aggressive collects everything and gives memory back; a blocking
// call has collected when it returns; a non-blocking one soon afterwards. Threads that ask at once are served by one collection.
// Each combination takes another way into the collector, with its own chance to hang or to be ignored.

namespace Garner.Conformance;

[Behaviour("api-collect-modes", "GC.Collect with every generation, GCCollectionMode, blocking and compacting, and its argument errors")]
internal static class CollectModes
{
    public static void Run(TextWriter output)
    {
        object[] kept = [.. Enumerable.Range(0, 1000).Select(static i => (object)new int[] { i })];
        for (int generation = 0; generation <= 2; generation++)
        {
            foreach (GCCollectionMode mode in (GCCollectionMode[])[GCCollectionMode.Default, GCCollectionMode.Forced])
                foreach (bool compacting in (bool[])[false, true])
                {
                    int before = GC.CollectionCount(generation);
                    GC.Collect(generation, mode, blocking: true, compacting);
                    Expect.That(GC.CollectionCount(generation) > before, $"{mode} collected generation {generation}, compacting {compacting}");
                }
            GC.Collect(generation, GCCollectionMode.Optimized);
            GC.Collect(generation, GCCollectionMode.Optimized, blocking: false);
            int counted = GC.CollectionCount(generation);
            GC.Collect(generation, GCCollectionMode.Forced, blocking: false);
            Expect.That(Heap.Wait(() => GC.CollectionCount(generation) > counted), $"a non-blocking collection of generation {generation} comes");
        }
        int full = GC.CollectionCount(2);
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        Expect.That(GC.CollectionCount(2) > full, "Aggressive collected generation 2");
        full = GC.CollectionCount(2);
        GC.Collect(GC.MaxGeneration + 5);
        Expect.That(GC.CollectionCount(2) > full, "a generation above the highest means the highest");
        full = GC.CollectionCount(2);
        GC.Collect();
        Expect.That(GC.CollectionCount(2) > full, "no argument means all generations");
        full = GC.CollectionCount(2);
        for (int i = 0; i < 4; i++)
            GC.Collect(2, GCCollectionMode.Optimized);
        Expect.That(Heap.Forced || GC.CollectionCount(2) == full, "Optimized declines where nothing has come since");
        object[] longer = [.. Enumerable.Range(0, 300_000).Select(static i => (object)new int[] { i })]; // a collection takes longer than a thread needs to ask
        full = GC.CollectionCount(2);
        const int Threads = 8, Rounds = 10;
        using (Barrier barrier = new(Threads))
        {
            Thread[] askers = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    barrier.SignalAndWait();
                    GC.Collect();
                }
            }))];
            Array.ForEach(askers, static asker => asker.Start());
            Array.ForEach(askers, static asker => asker.Join());
        }
        int shared = GC.CollectionCount(2) - full;
        Expect.That(shared >= Rounds && (Heap.Forced || shared < Threads * Rounds), $"{Threads} threads that asked at once, {Rounds} times: {shared} collections");
        GC.KeepAlive(longer);
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.Collect(-1), "generation -1");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.Collect(1, (GCCollectionMode)77), "an unknown mode");
        Expect.Throws<ArgumentException>(static () => GC.Collect(0, GCCollectionMode.Aggressive, true, true), "Aggressive of generation 0");
        Expect.Throws<ArgumentException>(static () => GC.Collect(2, GCCollectionMode.Aggressive, false, true), "Aggressive without blocking");
        Expect.Throws<ArgumentException>(static () => GC.Collect(2, GCCollectionMode.Aggressive, true, false), "Aggressive without compacting");
        for (int i = 0; i < kept.Length; i++)
            Expect.Equal(i, ((int[])kept[i])[0]);
        output.WriteLine($"highest generation {GC.MaxGeneration}");
    }
}
