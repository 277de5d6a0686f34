// old-stores: a great many old objects, of which a few are given a new object each before every young collection.
//
// It stresses what a young collection pays for references from old objects to young ones. It should be a price by store, whatever else is old: the line's
// `figures` have the pauses, and what they are by store.
//
// One operation is one collection, asked for, after `stores` stores into old objects that are drawn. It is of generation 1, so that what is stored grows old
// in its second one. With generation=0 it stays young for as long as the collector lets it wait, and each collection may look at all that was ever stored.
// Collections before which the collector has come by itself are not in the figures, nor full ones: `counted` says how many are, and DOTNET_GCgen0size makes
// room for all. Which new object an old one refers to is also kept in a plain array of numbers; each store looks at what it replaces, and at the end all
// are looked at.

using System.Globalization;

namespace Garner.Bench;

internal sealed class OldStores : Workload
{
    public override string Name => "old-stores";

    public override string Stresses => "young collections after stores of new objects into old ones that are drawn from a great many";

    public override Parameter[] Parameters =>
    [
        new("old", 2_000_000, LaneCount, 200_000_000, "old objects, of 32 bytes"),
        new("stores", 10_000, 1, 100_000_000, "stores before each collection, each of a new object, of 32 bytes too"),
        new("rounds", 100, 1, 1_000_000, "collections"),
        new("generation", 1, 0, 1, "the generation collected; with 0 what is stored does not grow old"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int rounds = parameters.Int("rounds"), generation = parameters.Int("generation"), stores = parameters.Int("stores"), threads = parameters.Threads;
        Lane[] lanes = new Lane[LaneCount];
        Crew.Run(threads, t =>
        {
            foreach (int lane in LanesOf(t, threads)) lanes[lane] = new Lane(parameters.Seed, lane, Share(parameters.Int("old"), lane));
        });
        // Twice, for a collector that makes objects old one generation at a time.
        GC.Collect();
        GC.Collect();

        Latencies latencies = new();
        List<double> pauses = [];
        for (int round = 0; round < rounds; round++)
        {
            int before = GC.CollectionCount(0), full = GC.CollectionCount(GC.MaxGeneration);
            Crew.Run(threads, t =>
            {
                foreach (int lane in LanesOf(t, threads)) lanes[lane].Store(Share(stores, lane));
            });
            bool undisturbed = GC.CollectionCount(0) == before;
            TimeSpan stopped = GC.GetTotalPauseDuration();
            long start = Latencies.Now();
            GC.Collect(generation, GCCollectionMode.Forced, blocking: true);
            latencies.Since(start);
            if (undisturbed && GC.CollectionCount(GC.MaxGeneration) == full) pauses.Add((GC.GetTotalPauseDuration() - stopped).TotalMilliseconds);
        }

        Digest digest = default;
        int old = 0;
        foreach (Lane lane in lanes) digest.Add(lane.Verify(ref old));
        double median = Figures.Median(pauses.ToArray()), longest = 0;
        foreach (double pause in pauses) longest = Math.Max(longest, pause);
        string figures = $"\"old_objects\":{old},\"counted\":{pauses.Count},\"young_pause_ms\":{{\"median\":{Figures.Milliseconds(median)},\"max\":{Figures.Milliseconds(longest)}}}," +
            $"\"us_per_store\":{Figures.Number(median * 1e3 / stores, "F4")}";
        return new Outcome(rounds, latencies, digest.Value, figures);
    }

    private static int Share(int count, int lane) => (int)((long)count * (lane + 1) / LaneCount - (long)count * lane / LaneCount);

    // 32 bytes each, with the object's header.
    private sealed class Old(ulong value)
    {
        public New? Stored;
        public readonly ulong Value = value;
    }

    private sealed class New(ulong value)
    {
        public readonly ulong Value = value, Mark = Prng.Mix(value);
    }

    private sealed class Lane
    {
        private readonly Old[] all;
        // The number of what each refers to; 0: nothing.
        private readonly ulong[] stored;
        private readonly ulong first;
        private Prng prng;
        private ulong made;

        public Lane(ulong seed, int lane, int count)
        {
            prng = new Prng(seed, (ulong)lane);
            first = prng.Next();
            all = new Old[count];
            stored = new ulong[count];
            for (int i = 0; i < count; i++) all[i] = new Old(first + (ulong)i);
        }

        public void Store(int count)
        {
            for (int i = 0; i < count; i++)
            {
                int to = prng.Below(all.Length);
                Old old = all[to];
                Look(old, to);
                stored[to] = ++made;
                old.Stored = new New(first ^ made);
            }
        }

        private void Look(Old old, int i)
        {
            Check.That(old.Value == first + (ulong)i, "an old object has changed");
            Check.That(stored[i] == 0 ? old.Stored == null : old.Stored is { } found && found.Value == (first ^ stored[i]) && found.Mark == Prng.Mix(found.Value), "an old object refers to another than it must");
        }

        public ulong Verify(ref int old)
        {
            Digest digest = default;
            for (int i = 0; i < all.Length; i++)
            {
                Look(all[i], i);
                digest.Add(stored[i]);
                if (GC.GetGeneration(all[i]) == GC.MaxGeneration) old++;
            }
            return digest.Value;
        }
    }
}
