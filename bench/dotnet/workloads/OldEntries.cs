// old-entries: a great many old objects of one kind that needs a collector's care (weakly held, finalizable, keys of a ConditionalWeakTable, pinned, with a
// sync block), all alive and never touched, while small garbage is made.
//
// It stresses what young collections pay for old entries: none is young, so none needs to be looked at, and the pauses should be those of kind=none. The
// line's `figures` have the young pauses for comparing.
//
// One operation makes a few small objects, of which one lives for a short while. At the end every entry must be as it was made, lead to its object, and
// have the address and hash code it had. Addresses and hash codes are compared, never added to the checksum.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Bench;

internal sealed unsafe class OldEntries : Workload
{
    private const int LeavesPerStep = 64, BytesPerStep = LeavesPerStep * 32, Kept = 16;

    public override string Name => "old-entries";

    public override string Stresses => "young collections beside a great many old entries: weak, finalizable, conditional, pinned, with sync blocks";

    public override Parameter[] Parameters =>
    [
        Parameter.Choice("kind", [.. Enum.GetValues<Kind>().Select(WordOf), "mixed"], "what is old; mixed: all kinds by turns"),
        new("count", 1_000_000, 1, 100_000_000, "entries; pins slow a collector down in other ways, so give them 100000"),
        new("megabytes", 2000, 1, 10_000_000, "small objects made when the entries are old"),
        Parameter.Threads(1),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        Kind[] kinds = Enum.GetValues<Kind>();
        if (parameters.Text("kind") != "mixed") kinds = Array.FindAll(kinds, kind => WordOf(kind) == parameters.Text("kind"));
        Entries entries = new(parameters.Int("count"), kinds);
        GC.Collect();
        GC.Collect();

        YoungPauses pauses = new();
        Outcome outcome = RunLanes(parameters.Threads, parameters.Long("megabytes") * (1 << 20) / BytesPerStep, lane => new Lane(parameters.Seed, lane, lane == 0 ? pauses : null));
        ulong checksum = outcome.Checksum + entries.Verify(out int old);
        return outcome with { Checksum = checksum, Figures = $"\"old_entries\":{old},{pauses.Figures}" };
    }

    private enum Kind { None, Weak, LongWeak, Finalizable, Conditional, Pinned, SyncBlocks }

    private static string WordOf(Kind kind) => kind == Kind.LongWeak ? "long-weak" : kind.ToString().ToLowerInvariant();

    // Its layout is fixed because only such objects can be pinned.
    [StructLayout(LayoutKind.Sequential)]
    private class Entry(ulong value)
    {
        public readonly ulong Value = value;
    }

    private sealed class FinalizableEntry(ulong value) : Entry(value)
    {
        public static int Finalized;

        // One whose constructor ran out of memory was nobody's, but then the run has failed anyway.
        ~FinalizableEntry() => Interlocked.Increment(ref Finalized);
    }

    private sealed class Entries
    {
        private readonly Kind[] kinds;
        private readonly Entry[] all;
        // Of entries with a handle the handle; of pinned ones the address too; of those with a sync block the hash code.
        private readonly GCHandle[] handles;
        private readonly long[] kept;
        private readonly ConditionalWeakTable<Entry, Entry> table = [];

        public Entries(int count, Kind[] turns)
        {
            kinds = new Kind[count];
            all = new Entry[count];
            handles = new GCHandle[count];
            kept = new long[count];
            for (int i = 0; i < count; i++)
            {
                kinds[i] = turns[i % turns.Length];
                all[i] = kinds[i] == Kind.Finalizable ? new FinalizableEntry(ValueOf(i)) : new Entry(ValueOf(i));
                Attach(i, all[i]);
            }
        }

        private static ulong ValueOf(int i) => Prng.Mix((ulong)i);

        private void Attach(int i, Entry entry)
        {
            switch (kinds[i])
            {
                case Kind.Weak:
                    handles[i] = GCHandle.Alloc(entry, GCHandleType.Weak);
                    break;
                case Kind.LongWeak:
                    handles[i] = GCHandle.Alloc(entry, GCHandleType.WeakTrackResurrection);
                    break;
                case Kind.Conditional:
                    table.Add(entry, new Entry(~entry.Value));
                    break;
                case Kind.Pinned:
                    handles[i] = GCHandle.Alloc(entry, GCHandleType.Pinned);
                    kept[i] = handles[i].AddrOfPinnedObject();
                    break;
                case Kind.SyncBlocks:
                    // The header has room for a hash code or for a lock. For both, the runtime gives the object a sync block.
                    kept[i] = RuntimeHelpers.GetHashCode(entry);
                    lock (entry) kept[i] |= 1L << 32;
                    break;
            }
        }

        public ulong Verify(out int old)
        {
            old = 0;
            Digest digest = default;
            for (int i = 0; i < all.Length; i++)
            {
                Entry entry = all[i];
                Check.That(entry.Value == ValueOf(i), "an entry has changed");
                bool whole = kinds[i] switch
                {
                    Kind.Weak or Kind.LongWeak => ReferenceEquals(handles[i].Target, entry),
                    Kind.Conditional => table.TryGetValue(entry, out Entry? value) && value.Value == ~entry.Value,
                    Kind.Pinned => ReferenceEquals(handles[i].Target, entry) && handles[i].AddrOfPinnedObject() == kept[i] && *(ulong*)kept[i] == entry.Value,
                    Kind.SyncBlocks => RuntimeHelpers.GetHashCode(entry) == (int)kept[i] && !Monitor.IsEntered(entry),
                    _ => true,
                };
                Check.That(whole, "an entry does not lead to its object any more");
                if (GC.GetGeneration(entry) == GC.MaxGeneration) old++;
                digest.Add(entry.Value);
            }
            Check.That(Volatile.Read(ref FinalizableEntry.Finalized) == 0, "a finalizer ran for a living object");
            return digest.Value;
        }
    }

    private sealed class Leaf(ulong value, Leaf? before)
    {
        public readonly ulong Value = value;
        public readonly Leaf? Before = before;
    }

    private sealed class Lane(ulong seed, int lane, YoungPauses? pauses) : ILane
    {
        private readonly Leaf?[] ring = new Leaf?[Kept];
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;

        public void Step()
        {
            ulong value = prng.Next();
            Leaf? leaf = null;
            for (int i = 0; i < LeavesPerStep; i++) leaf = new Leaf(value + (ulong)i, i % 8 == 0 ? null : leaf);
            for (Leaf? l = leaf; l != null; l = l.Before) digest.Add(l.Value);
            ref Leaf? slot = ref ring[prng.Below(Kept)];
            if (slot != null) digest.Add(slot.Value + slot.Before!.Value);
            slot = leaf;
            pauses?.Look();
        }

        public ulong Verify()
        {
            foreach (Leaf? leaf in ring)
                if (leaf != null) digest.Add(leaf.Value);
            return digest.Value;
        }
    }

    // Looked at after every few objects, so that no two collections lie between two looks, and each one's stopped time can be told.
    private sealed class YoungPauses
    {
        private readonly double[] pauses = new double[1 << 16];
        private int count, collections = GC.CollectionCount(0), full = GC.CollectionCount(GC.MaxGeneration);
        private TimeSpan total = GC.GetTotalPauseDuration();

        public void Look()
        {
            int now = GC.CollectionCount(0);
            if (now == collections) return;
            int fullNow = GC.CollectionCount(GC.MaxGeneration);
            TimeSpan totalNow = GC.GetTotalPauseDuration();
            if (now == collections + 1 && fullNow == full && count < pauses.Length) pauses[count++] = (totalNow - total).TotalMilliseconds;
            collections = now;
            full = fullNow;
            total = totalNow;
        }

        public string Figures
        {
            get
            {
                Span<double> seen = pauses.AsSpan(0, count);
                double longest = 0;
                foreach (double pause in seen) longest = Math.Max(longest, pause);
                return $"\"young_collections\":{count},\"young_pause_ms\":{{\"median\":{Bench.Figures.Milliseconds(Bench.Figures.Median(seen))},\"max\":{Bench.Figures.Milliseconds(longest)}}}";
            }
        }
    }
}
