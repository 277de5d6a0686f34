// lru-cache: a cache of byte buffers and strings that drops what was used longest ago.
//
// It stresses the case that generations bet against: what dies is the oldest. Every entry lives long enough to be promoted, then dies in the old
// generation; every hit relinks three old objects; every miss makes old objects point at a young one. Sizes are mixed, so the old generation
// fragments.
//
// One operation is one lookup: a hit is checked and moved to the front, a miss builds the entry and evicts. Lanes are shards of the cache with
// their own keys. At the end every shard is walked in order of use and each buffer and string is compared with what its key prescribes.

using System.Globalization;

namespace Garner.Bench;

internal sealed class LruCache : Workload
{
    public override string Name => "lru-cache";

    public override string Stresses => "objects that die oldest first, relinking of old objects, mixed sizes that fragment the old generation";

    public override Parameter[] Parameters =>
    [
        new("entries", 64_000, LaneCount * 2, 100_000_000, "entries the cache holds"),
        new("keys", 160_000, LaneCount * 2, 1_000_000_000, "different keys that are asked for, some far more often than others"),
        new("bytes", 6000, 16, 60_000, "size of the largest buffer; small ones are more frequent"),
        new("lookups", 3_000_000, 1, 10_000_000_000, "lookups in all"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters) =>
        RunLanes(parameters.Threads, parameters.Long("lookups"), lane => new Shard(parameters.Seed, lane, parameters.Int("entries") / LaneCount, parameters.Int("keys") / LaneCount, parameters.Int("bytes")));

    private sealed class Entry(string key, byte[] buffer, string text)
    {
        public readonly string Key = key;
        public readonly byte[] Buffer = buffer;
        public readonly string Text = text;
        public long Hits;
        public Entry? Newer, Older;
    }

    private sealed class Shard(ulong seed, int lane, int capacity, int keys, int maxBytes) : ILane
    {
        private readonly Dictionary<string, Entry> byKey = new(capacity + 1);
        private Prng prng = new(seed, (ulong)lane);
        private Entry? newest, oldest;
        private long hits, misses;
        private Digest evicted;

        public void Step()
        {
            // The key arrives as a fresh string, as it does from a network.
            int id = prng.Skewed(keys, 2);
            string key = string.Create(CultureInfo.InvariantCulture, $"shard/{lane}/key/{id:d8}");
            if (byKey.TryGetValue(key, out Entry? entry))
            {
                hits++;
                entry.Hits++;
                Check.That(entry.Buffer[0] == (byte)id && entry.Buffer[^1] == (byte)id && entry.Key == key, "a cached entry is not what its key prescribes");
                if (entry != newest)
                {
                    Unlink(entry);
                    LinkNewest(entry);
                }
                return;
            }
            misses++;
            entry = new Entry(key, BufferFor(id), TextFor(id));
            byKey.Add(key, entry);
            LinkNewest(entry);
            if (byKey.Count > capacity)
            {
                Entry victim = oldest!;
                Unlink(victim);
                Check.That(byKey.Remove(victim.Key), "an entry in the list is not in the table");
                evicted.Add(victim.Hits);
                evicted.Add(victim.Buffer);
                evicted.Add(victim.Text);
            }
        }

        public ulong Verify()
        {
            Digest d = default;
            int count = 0;
            Entry? newer = null;
            for (Entry? entry = newest; entry != null; newer = entry, entry = entry.Older)
            {
                Check.That(entry.Newer == newer, "the list of use is broken");
                int id = int.Parse(entry.Key.AsSpan(entry.Key.Length - 8), CultureInfo.InvariantCulture);
                Check.That(entry.Buffer.AsSpan().SequenceEqual(BufferFor(id)), "a cached buffer has changed");
                Check.That(entry.Text == TextFor(id), "a cached string has changed");
                Check.That(ReferenceEquals(byKey[entry.Key], entry), "list and table disagree");
                d.Add(id);
                d.Add(entry.Hits);
                d.Add(entry.Buffer);
                count++;
            }
            Check.That(newer == oldest && count == byKey.Count, "the list of use has lost entries");
            d.Add(hits);
            d.Add(misses);
            d.Add(evicted.Value);
            return d.Value;
        }

        private byte[] BufferFor(int id)
        {
            Prng p = new((ulong)id, (ulong)lane);
            byte[] buffer = new byte[16 + p.Skewed(maxBytes - 15, 2)];
            buffer.AsSpan().Fill((byte)id);
            // A few bytes inside differ from the rest, so that a copy that goes wrong in the middle shows.
            for (int i = 1 + p.Below(64); i < buffer.Length - 1; i += 64) buffer[i] = (byte)p.Next();
            return buffer;
        }

        private string TextFor(int id) => string.Create(CultureInfo.InvariantCulture, $"{{\"id\":{id},\"lane\":{lane},\"etag\":\"{Prng.Mix((ulong)id):x16}\"}}");

        private void LinkNewest(Entry entry)
        {
            entry.Newer = null;
            entry.Older = newest;
            if (newest != null) newest.Newer = entry;
            else oldest = entry;
            newest = entry;
        }

        private void Unlink(Entry entry)
        {
            if (entry.Newer != null) entry.Newer.Older = entry.Older;
            else newest = entry.Older;
            if (entry.Older != null) entry.Older.Newer = entry.Newer;
            else oldest = entry.Newer;
        }
    }
}
