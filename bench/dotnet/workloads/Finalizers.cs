// finalizers: objects with finalizers of every kind, weak references short and long, and entries of ConditionalWeakTable, made, replaced and dropped
// all the time.
//
// It stresses the weak phases of a collection: the finalization queue, short weak references cleared before and long ones after it, resurrection,
// ephemerons whose value holds its own key, many handles, and the runtime's finalizer thread running beside the program.
//
// One operation makes one object with its attachments and drops the one that had its slot. While an object is held, its weak references and its
// table entry must lead to the right thing; a finalizer checks that what the object refers to is still whole. At the end everything is dropped
// and collected until every finalizer has run as often as its kind demands: neither too rarely nor too often. When each one ran depends on the collector,
// so only sums over all of them enter the checksum.

using System.Runtime.CompilerServices;
using System.Runtime.ConstrainedExecution;

namespace Garner.Bench;

internal sealed class Finalizers : Workload
{
    // Operations between two looks at how far the finalizer thread has fallen behind.
    private const int BackPressureEvery = 4096;

    public override string Name => "finalizers";

    public override string Stresses => "finalization, weak references, resurrection, ephemerons and the tables behind them";

    public override Parameter[] Parameters =>
    [
        new("objects", 48_000, LaneCount, 100_000_000, "objects alive at a time"),
        new("replacements", 1_500_000, LaneCount, 10_000_000_000, "objects made in all"),
        new("behind", 200_000, 1, 1_000_000_000, "dropped objects not yet finalized at which the threads wait for the finalizer thread"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads;
        long perLane = Math.Max(1, parameters.Long("replacements") / LaneCount), behind = parameters.Long("behind");
        Lane[] all = new Lane[LaneCount];
        for (int lane = 0; lane < LaneCount; lane++) all[lane] = new Lane(parameters.Seed, lane, parameters.Int("objects") / LaneCount);

        Latencies[] parts = Crew.Run(threads, t =>
        {
            Latencies mine = new();
            int[] lanes = LanesOf(t, threads);
            long time = Latencies.Now();
            long steps = 0;
            for (long i = 0; i < perLane; i++)
            {
                foreach (int lane in lanes)
                {
                    all[lane].Replace();
                    if (++steps % BackPressureEvery == 0 && all.Sum(l => l.Outstanding) > behind) GC.WaitForPendingFinalizers();
                    time = mine.Since(time);
                }
            }
            foreach (int lane in lanes) all[lane].DropAll();
            return mine;
        });

        Drain(all);
        Latencies latencies = Latencies.Merged(parts);
        Digest digest = default;
        foreach (Lane lane in all) digest.Add(lane.Result());
        return new Outcome(perLane * LaneCount, latencies, digest.Value);
    }

    // Collects until nothing is outstanding. Each round can take every object one step further (finalized, resurrected and dropped again, finalized
    // again), so a handful is enough; the bound is there to tell a lost finalizer from a slow one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drain(Lane[] all)
    {
        for (int round = 0; round < 20; round++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            foreach (Lane lane in all) lane.ReleaseResurrected();
            if (all.All(l => l.Outstanding == 0 && l.WeakAlive() == 0)) return;
        }
        long outstanding = all.Sum(l => l.Outstanding);
        Check.That(outstanding == 0, $"{outstanding} finalizer runs are missing");
        throw new CorruptionError($"{all.Sum(l => l.WeakAlive())} weak references or table entries still lead to dead objects");
    }

    private enum Kind : byte { Ordinary, Suppressed, Resurrecting, Again, Critical }

    // What the finalizers of one lane report to; lives as long as the lane. No allocation here: it is called by finalizers.
    private sealed class Ledger
    {
        private long runs, damaged;
        private ulong sum;
        private Resource? resurrected;

        public long Runs => Interlocked.Read(ref runs);
        public long Damaged => Interlocked.Read(ref damaged);
        public ulong Sum => Interlocked.Read(ref sum);

        public void Enter(ulong id, bool whole)
        {
            if (!whole) Interlocked.Increment(ref damaged);
            Interlocked.Add(ref sum, Prng.Mix(id));
            Interlocked.Increment(ref runs);
        }

        public void PushResurrected(Resource resource)
        {
            Resource? head;
            do
            {
                head = Volatile.Read(ref resurrected);
                resource.NextResurrected = head;
            }
            while (Interlocked.CompareExchange(ref resurrected, resource, head) != head);
        }

        public Resource? TakeResurrected() => Volatile.Read(ref resurrected) == null ? null : Interlocked.Exchange(ref resurrected, null);
    }

    // A critical finalizer runs after all ordinary ones of the same collection.
    private sealed class Guard(Ledger ledger, ulong id) : CriticalFinalizerObject
    {
        private readonly byte[]? payload = [(byte)id, (byte)(id >> 8)];

        ~Guard()
        {
            // Finalizers run for an object whose constructor ran out of memory half way, too: it never was anybody's.
            if (payload != null) ledger.Enter(id, payload[0] == (byte)id && payload[1] == (byte)(id >> 8));
        }
    }

    private sealed class Resource
    {
        public readonly ulong Id;
        public readonly Kind Kind;
        private readonly Ledger ledger;
        private readonly byte[] payload;
        private readonly Guard? guard;
        private readonly bool constructed;
        public Resource? NextResurrected;
        private int runs;

        public Resource(Ledger ledger, ulong id, Kind kind)
        {
            this.ledger = ledger;
            Id = id;
            Kind = kind;
            payload = new byte[16 + (int)(id % 48)];
            payload[0] = payload[^1] = (byte)id;
            if (kind == Kind.Critical) guard = new Guard(ledger, id ^ 1);
            constructed = true;
        }

        public bool Whole => payload.Length == 16 + (int)(Id % 48) && payload[0] == (byte)Id && payload[^1] == (byte)Id && guard == null == (Kind != Kind.Critical);

        ~Resource()
        {
            if (!constructed) return; // out of memory half way, as above
            runs++;
            // One that disposed itself must not come here at all.
            ledger.Enter(Id, Whole && runs <= RunsOf(Kind) && Kind != Kind.Suppressed);
            if (runs > 1) return;
            if (Kind == Kind.Resurrecting) ledger.PushResurrected(this);
            if (Kind == Kind.Again) GC.ReRegisterForFinalize(this);
        }
    }

    // Finalizer runs an object causes, its guard's included; Resource.runs counts its own only, which for Critical is one.
    private static int RunsOf(Kind kind) => kind switch { Kind.Suppressed => 0, Kind.Ordinary => 1, _ => 2 };

    // The value of a table entry refers to its own key: alive exactly as long as the key is otherwise alive.
    private sealed class Attachment(Resource owner)
    {
        public readonly Resource Owner = owner;
        public readonly ulong Id = ~owner.Id;
    }

    private struct Slot
    {
        public Resource? Strong;
        public WeakReference<Resource>? Short, Long;
    }

    private sealed class Lane(ulong seed, int lane, int slotCount)
    {
        private readonly Slot[] slots = new Slot[slotCount];
        // Weak references to what was dropped: they may lead to the object for as long as the collector has not seen it is dead, to nothing else.
        private readonly (WeakReference<Resource>? Reference, ulong Id)[] dropped = new (WeakReference<Resource>?, ulong)[256];
        private readonly ConditionalWeakTable<Resource, Attachment> table = [];
        private readonly Ledger ledger = new();
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;
        private ulong expectedSum;
        private long expectedRuns;

        // Runs still to come if every object were dropped now.
        public long Outstanding => Volatile.Read(ref expectedRuns) - ledger.Runs;

        public void Replace()
        {
            int index = prng.Below(slots.Length);
            if (slots[index].Strong != null) Drop(index);
            ulong id = prng.Next() << 1;
            Kind kind = prng.Below(16) switch { 0 => Kind.Resurrecting, 1 => Kind.Again, 2 or 3 => Kind.Critical, < 7 => Kind.Suppressed, _ => Kind.Ordinary };
            Resource resource = new(ledger, id, kind);
            ref Slot slot = ref slots[index];
            slot.Strong = resource;
            slot.Short = (id & 2) == 0 ? new WeakReference<Resource>(resource) : null;
            slot.Long = (id & 12) == 0 ? new WeakReference<Resource>(resource, trackResurrection: true) : null;
            if ((id & 16) == 0) table.Add(resource, new Attachment(resource));

            // A look at another slot: everything weak that leads to a held object must still do so.
            CheckHeld(prng.Below(slots.Length));
            if (prng.OneIn(64)) ReleaseResurrected();
        }

        private void CheckHeld(int index)
        {
            ref Slot slot = ref slots[index];
            if (slot.Strong is not { } held) return;
            Check.That(held.Whole, "a finalizable object has changed");
            Check.That(slot.Short == null || (slot.Short.TryGetTarget(out Resource? shortTarget) && ReferenceEquals(shortTarget, held)), "a weak reference to a held object is lost");
            Check.That(slot.Long == null || (slot.Long.TryGetTarget(out Resource? longTarget) && ReferenceEquals(longTarget, held)), "a long weak reference to a held object is lost");
            bool found = table.TryGetValue(held, out Attachment? attachment);
            Check.That(found == ((held.Id & 16) == 0), "a table entry of a held object is lost");
            Check.That(!found || (attachment!.Id == ~held.Id && ReferenceEquals(attachment.Owner, held)), "a table entry of a held object has changed");
        }

        private void Drop(int index)
        {
            CheckHeld(index);
            ref Slot slot = ref slots[index];
            Resource resource = slot.Strong!;
            digest.Add(resource.Id);
            digest.Add((int)resource.Kind);
            Volatile.Write(ref expectedRuns, expectedRuns + RunsOf(resource.Kind));
            expectedSum += resource.Kind == Kind.Critical
                ? Prng.Mix(resource.Id) + Prng.Mix(resource.Id ^ 1)
                : (ulong)RunsOf(resource.Kind) * Prng.Mix(resource.Id);
            if (resource.Kind == Kind.Suppressed) GC.SuppressFinalize(resource);

            ref var trail = ref dropped[prng.Below(dropped.Length)];
            if (trail.Reference != null && trail.Reference.TryGetTarget(out Resource? ghost))
                Check.That(ghost.Id == trail.Id && ghost.Whole, "a weak reference leads to the wrong object");
            trail = (slot.Short ?? slot.Long, resource.Id);
            slot = default;
        }

        public void DropAll()
        {
            for (int i = 0; i < slots.Length; i++)
                if (slots[i].Strong != null) Drop(i);
        }

        // Objects whose finalizer brought them back: they must be whole; they get their finalizer again and are dropped for good.
        public void ReleaseResurrected()
        {
            for (Resource? resource = ledger.TakeResurrected(); resource != null;)
            {
                Check.That(resource.Whole, "a resurrected object has changed");
                Resource? next = resource.NextResurrected;
                resource.NextResurrected = null;
                GC.ReRegisterForFinalize(resource);
                resource = next;
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int WeakAlive()
        {
            int alive = 0;
            foreach (var (reference, _) in dropped)
                if (reference != null && reference.TryGetTarget(out _)) alive++;
            foreach (var _ in table) alive++;
            return alive;
        }

        public ulong Result()
        {
            Check.That(ledger.Damaged == 0, $"{ledger.Damaged} finalizers found their object damaged or ran too often");
            Check.That(ledger.Runs == expectedRuns, $"{ledger.Runs} finalizers ran instead of {expectedRuns}");
            Check.That(ledger.Sum == expectedSum, "the finalizers that ran are not those that should have");
            digest.Add(ledger.Sum);
            digest.Add(ledger.Runs);
            return digest.Value;
        }
    }
}
