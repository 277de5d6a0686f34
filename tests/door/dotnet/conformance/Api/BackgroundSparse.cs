// What lives in an old heap that has become mostly empty, after a collection beside the program and many young ones.
// Rule: where objects lie is the collector's affair, and so is whether it moves them; every reference, handle, hash code, lock and interior pointer goes on meaning the same object,
// and what is pinned stays.
// Garner empties regions that are mostly empty at the end of young collections then (collect.moved_at_once).

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-background-sparse", "what lives between much that died keeps its identity while young collections follow a background one", Settings = Background.On)]
internal static unsafe class BackgroundSparse
{
    private const int All = 60_000, KeptOf = 12;

    private sealed class Entry(int id)
    {
        public int Id = id;
        public Entry? Next, Other;
        public int[] Data = [id, ~id];
        public readonly long Pad0 = id, Pad1 = id, Pad2 = id, Pad3 = id, Pad4 = id, Pad5 = id, Pad6 = id, Pad7 = id;
    }

    private static Entry?[] s_all = [];
    private static nint AddressOf(object? entry) => *(nint*)Unsafe.AsPointer(ref entry);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make()
    {
        s_all = new Entry[All];
        for (int i = 0; i < All; i++)
            s_all[i] = new Entry(i);
        Heap.Age(s_all[0]!);
        Heap.Full();
        for (int i = 0; i < All; i++)
            if (i % KeptOf != 0)
                s_all[i] = null;
        for (int i = 0; i < All; i += KeptOf)
            s_all[i]!.Next = s_all[(int)((long)i * 7 / KeptOf % (All / KeptOf)) * KeptOf];
    }

    public static void Run(TextWriter output)
    {
        int moved = 0;
        for (int round = 0; round < 3; round++)
        {
            Make();
            var hashes = new Dictionary<int, int>();
            var weak = new Dictionary<int, WeakReference>();
            var table = new ConditionalWeakTable<Entry, string>();
            var pins = new Dictionary<int, (GCHandle Handle, nint Address)>();
            var before = new Dictionary<int, nint>();
            for (int i = 0; i < All; i += KeptOf)
            {
                Entry entry = s_all[i]!;
                before[i] = AddressOf(entry);
                if (i % 5 == 0)
                    hashes[i] = RuntimeHelpers.GetHashCode(entry);
                if (i % 7 == 0)
                    weak[i] = new WeakReference(entry, i % 2 == 0);
                if (i % 11 == 0)
                    table.Add(entry, "of " + i);
                if (i % 6000 == 0)
                    pins[i] = (GCHandle.Alloc(entry.Data, GCHandleType.Pinned), AddressOf(entry.Data));
                if (i % 13 == 0)
                    Monitor.Enter(entry);
            }
            ref int inside = ref s_all[KeptOf]!.Data[1];
            Background.Collect();
            int Moved() => before.Count(one => one.Value != AddressOf(s_all[one.Key]));
            bool Waiting() => Heap.OnGarner && !Heap.Forced && Moved() <= All / KeptOf / 4;
            for (int collection = 0, count = GC.CollectionCount(0); collection < 12 || (collection < 300 && Waiting()); collection++)
            {
                if (collection >= 12) // the thread that finds what is sparse has not had its turn
                    Thread.Sleep(1);
                for (int i = collection; i < All / KeptOf; i += 9) // stores that nobody has read yet
                    s_all[i * KeptOf]!.Other = s_all[(All / KeptOf - 1 - i) * KeptOf];
                for (object? garbage = null; GC.CollectionCount(0) <= count; GC.KeepAlive(garbage))
                    garbage = new byte[2000];
                count = GC.CollectionCount(0);
                for (int i = 0; i < All; i += KeptOf)
                {
                    Entry entry = s_all[i]!;
                    Expect.That(entry.Id == i && entry.Data[0] == i && entry.Data[1] == ~i && entry.Pad7 == i, $"entry {i} is whole");
                    Expect.That(ReferenceEquals(entry.Next, s_all[(int)((long)i * 7 / KeptOf % (All / KeptOf)) * KeptOf]), $"entry {i} refers to the next");
                    Expect.That(entry.Other == null || entry.Other.Id == (All / KeptOf - 1 - i / KeptOf) * KeptOf, $"entry {i} refers to the other");
                }
                foreach ((int i, int hash) in hashes)
                    Expect.That(RuntimeHelpers.GetHashCode(s_all[i]!) == hash, $"hash code of {i}");
                foreach ((int i, WeakReference reference) in weak)
                    Expect.That(ReferenceEquals(reference.Target, s_all[i]), $"weak reference to {i}");
                foreach ((int i, (_, nint address)) in pins)
                    Expect.That(AddressOf(s_all[i]!.Data) == address, $"what is pinned of {i} stays");
                Expect.That(table.TryGetValue(s_all[11 * KeptOf]!, out string? value) && value == "of " + 11 * KeptOf, "a value of the weak table");
                Expect.Equal(~KeptOf, inside);
                inside = ~KeptOf;
            }
            moved += Moved();
            for (int i = 0; i < All; i += KeptOf)
            {
                if (i % 13 == 0)
                    Monitor.Exit(s_all[i]!);
            }
            foreach ((_, (GCHandle handle, _)) in pins)
                handle.Free();
        }
        Expect.That(moved > All / KeptOf / 4 || !Heap.OnGarner || Heap.Forced, $"some of it has moved: {moved}");
        output.WriteLine("all of it is what it was");
    }
}
