// dictionary: one ConcurrentDictionary, ten million entries in its large size, under replacements, removals, insertions and reads by all threads.
//
// It stresses what is proportional to the live set: full collections over millions of small linked objects behind one huge array, old-to-young
// stores scattered evenly over all of the old generation (each replacement is one), and tables that grow by copying arrays of tens of megabytes.
//
// One operation is one access. Keys are divided among the lanes; a lane keeps, in a plain array of numbers beside the dictionary, the version each
// of its keys must have, and compares at every access and over the whole dictionary at the end.

using System.Collections.Concurrent;

namespace Garner.Bench;

internal sealed class DictionaryUpdates : Workload
{
    public override string Name => "dictionary";

    public override string Stresses => "a very large live set of small objects, scattered old-to-young stores, huge reference arrays that grow";

    public override Parameter[] Parameters =>
    [
        new("entries", 2_000_000, LaneCount, 200_000_000, "keys in the dictionary"),
        new("updates", 4_000_000, 0, 10_000_000_000, "accesses in all after the filling; of ten, six replace, one removes or inserts, three read"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads, keys = parameters.Int("entries") / LaneCount;
        long updates = parameters.Long("updates") / LaneCount;
        ConcurrentDictionary<long, Record> dictionary = new(concurrencyLevel: 64, capacity: 1024);
        Lane[] all = new Lane[LaneCount];
        for (int lane = 0; lane < LaneCount; lane++) all[lane] = new Lane(dictionary, parameters.Seed, lane, keys);

        Latencies[] parts = Crew.Run(threads, t =>
        {
            Latencies mine = new();
            int[] lanes = LanesOf(t, threads);
            long time = Latencies.Now();
            for (int i = 0; i < keys; i++)
            {
                foreach (int lane in lanes)
                {
                    all[lane].Fill(i);
                    time = mine.Since(time);
                }
            }
            for (long i = 0; i < updates; i++)
            {
                foreach (int lane in lanes)
                {
                    all[lane].Update();
                    time = mine.Since(time);
                }
            }
            return mine;
        });

        Latencies latencies = Latencies.Merged(parts);
        Digest digest = default;
        long present = 0;
        foreach (Lane lane in all) digest.Add(lane.Verify(ref present));
        Check.That(dictionary.Count == present, $"the dictionary holds {dictionary.Count} entries instead of {present}");
        // The other way round: through the buckets, in whatever order the table has.
        Digest walked = default;
        foreach ((long key, Record record) in dictionary)
        {
            Check.That(record.Key == key, "a record is filed under another key");
            walked.AddUnordered(record.Mixed());
        }
        digest.Add(walked.Value);
        return new Outcome((keys + updates) * LaneCount, latencies, digest.Value);
    }

    private sealed class Record(long key, int version, string? note)
    {
        public readonly long Key = key;
        public readonly int Version = version;
        public readonly string? Note = note;

        public ulong Mixed() => Prng.Mix((ulong)Key) + (ulong)Version + (Note == null ? 0 : Digest.Of(Note));
    }

    private sealed class Lane(ConcurrentDictionary<long, Record> dictionary, ulong seed, int lane, int keys)
    {
        // The version each key must have; negative: removed at that version.
        private readonly int[] versions = new int[keys];
        private Prng prng = new(seed, (ulong)lane);
        private Digest reads;

        // The keys of all lanes interleave, and are spread over the buckets by the multiplication.
        private long KeyOf(int i) => (long)(((ulong)i * LaneCount + (ulong)lane) * 0x9e3779b97f4a7c15);

        // One record in eight has a string of its own.
        private Record Make(int i, int version) => new(KeyOf(i), version, (i + version) % 8 == 0 ? $"{lane}/{i}/{version}" : null);

        public void Fill(int i)
        {
            Check.That(dictionary.TryAdd(KeyOf(i), Make(i, 1)), "a new key is already there");
            versions[i] = 1;
        }

        public void Update()
        {
            int i = prng.Below(keys), version = versions[i], kind = prng.Below(10);
            if (kind < 6 || (kind == 6 && version < 0))
            {
                int next = Math.Abs(version) + 1;
                dictionary[KeyOf(i)] = Make(i, next);
                versions[i] = next;
            }
            else if (kind == 6)
            {
                Check.That(dictionary.TryRemove(KeyOf(i), out Record? old), "a key to be removed is not there");
                CheckRecord(old!, i, version);
                versions[i] = -version;
            }
            else
            {
                bool found = dictionary.TryGetValue(KeyOf(i), out Record? record);
                Check.That(found == version > 0, "a key is there that was removed, or the other way round");
                if (!found) return;
                CheckRecord(record!, i, version);
                reads.Add(version);
            }
        }

        public ulong Verify(ref long present)
        {
            Digest d = default;
            for (int i = 0; i < keys; i++)
            {
                bool found = dictionary.TryGetValue(KeyOf(i), out Record? record);
                Check.That(found == versions[i] > 0, "a key is there that was removed, or the other way round");
                d.Add(versions[i]);
                if (!found) continue;
                CheckRecord(record!, i, versions[i]);
                present++;
            }
            d.Add(reads.Value);
            return d.Value;
        }

        private void CheckRecord(Record record, int i, int version)
        {
            Check.That(record.Key == KeyOf(i) && record.Version == version, "a record does not have the version it was given last");
            Check.That((record.Note != null) == ((i + version) % 8 == 0) && (record.Note == null || record.Note == $"{lane}/{i}/{version}"), "a record's note is damaged");
        }
    }
}
