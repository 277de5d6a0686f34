// large-objects: arrays and strings beyond the large-object threshold, replaced in random order.
//
// It stresses the large-object space: its allocation, zeroing and fragmentation, how soon it is collected and given back, arrays of references
// that are large themselves (marking must not recurse or stop the others for long), and old large arrays that point at young small objects.
//
// One operation replaces one slot: what was there is verified, then dropped. Lanes have their own slots. Sizes run from just above the threshold to
// `megabytes`, small ones more often. Every large object carries numbers at both ends and every few kilobytes that its seed prescribes.

namespace Garner.Bench;

internal sealed class LargeObjects : Workload
{
    private const int MinBytes = 86_000;
    private const int StampEvery = 4096;

    public override string Name => "large-objects";

    public override string Stresses => "the large-object space: allocation, fragmentation, giving back, large arrays of references";

    public override Parameter[] Parameters =>
    [
        new("slots", 192, LaneCount, 1_000_000, "large objects alive at a time"),
        new("megabytes", 4, 1, 256, "size of the largest; small ones are more frequent"),
        new("replacements", 20_000, LaneCount, 1_000_000_000, "large objects made in all"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters) =>
        RunLanes(parameters.Threads, parameters.Long("replacements"), lane => new Lane(parameters.Seed, lane, parameters.Int("slots") / LaneCount, parameters.Int("megabytes") << 20));

    private sealed class Small(ulong seed, int index, Small? next)
    {
        public readonly ulong Seed = seed;
        public readonly int Index = index;
        public readonly Small? Next = next;
    }

    private struct Slot
    {
        public ulong Seed;
        public object? Content;
    }

    private sealed class Lane(ulong seed, int lane, int slotCount, int maxBytes) : ILane
    {
        private readonly Slot[] slots = new Slot[slotCount];
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;

        public void Step()
        {
            ref Slot slot = ref slots[prng.Below(slots.Length)];
            if (slot.Content != null)
            {
                digest.Add(VerifyContent(slot.Content, slot.Seed));
                // An array that is grown instead of replaced: the usual life of a list, two large copies alive for a moment.
                if (slot.Content is byte[] bytes && bytes.Length <= maxBytes / 2 && prng.OneIn(4))
                {
                    byte[] longer = new byte[bytes.Length * 2];
                    bytes.CopyTo(longer, 0);
                    slot.Seed = prng.Next();
                    Stamp(longer, slot.Seed);
                    slot.Content = longer;
                    return;
                }
                // Dropped before the next is made, so that the collector may already use the room.
                slot.Content = null;
            }
            slot.Seed = prng.Next();
            slot.Content = Make(MinBytes + prng.Skewed(maxBytes - MinBytes, 3), slot.Seed);
            // Now and then a slot is emptied for a while.
            if (prng.OneIn(16))
            {
                slot.Content = null;
                digest.Add(slot.Seed);
            }
        }

        public ulong Verify()
        {
            foreach (Slot slot in slots)
                if (slot.Content != null) digest.Add(VerifyContent(slot.Content, slot.Seed));
            return digest.Value;
        }

        private static object Make(int bytes, ulong seed)
        {
            switch (seed % 8)
            {
                case 0:
                    // Strings are large objects too.
                    return new string((char)('a' + seed % 23), bytes / 2);
                case 1:
                case 2:
                {
                    // References: every 64th leads to a chain of small objects made at the same time.
                    object[] references = new object[bytes / 8];
                    for (int i = 0; i < references.Length; i += 64)
                        references[i] = new Small(seed, i, i % 128 == 0 ? new Small(seed, -i, null) : null);
                    return references;
                }
                case 3:
                {
                    long[] longs = GC.AllocateUninitializedArray<long>(bytes / 8);
                    for (int i = 0; i < longs.Length; i += StampEvery / 8) longs[i] = (long)Prng.Mix(seed + (ulong)i);
                    return longs;
                }
                default:
                {
                    byte[] array = new byte[bytes];
                    Stamp(array, seed);
                    return array;
                }
            }
        }

        private static void Stamp(byte[] array, ulong seed)
        {
            for (int i = 0; i < array.Length; i += StampEvery) array[i] = (byte)Prng.Mix(seed + (ulong)i);
            array[^1] = (byte)seed;
        }

        private static ulong VerifyContent(object content, ulong seed)
        {
            Digest d = default;
            switch (content)
            {
                case string text:
                    Check.That(text[0] == 'a' + seed % 23 && text.AsSpan().IndexOfAnyExcept(text[0]) < 0, "a large string has changed");
                    d.Add(text.Length);
                    break;
                case object[] references:
                    for (int i = 0; i < references.Length; i++)
                    {
                        if (i % 64 != 0)
                        {
                            Check.That(references[i] == null, "a large array has a reference nobody stored");
                            continue;
                        }
                        Small? small = references[i] as Small;
                        Check.That(small != null && small.Seed == seed && small.Index == i, "a small object behind a large array has changed");
                        Check.That(i % 128 == 0 ? small!.Next is { } next && next.Seed == seed && next.Index == -i : small!.Next == null, "a chain behind a large array has changed");
                    }
                    d.Add(references.Length);
                    break;
                case long[] longs:
                    for (int i = 0; i < longs.Length; i += StampEvery / 8)
                        Check.That(longs[i] == (long)Prng.Mix(seed + (ulong)i), "a large array of numbers has changed");
                    d.Add(longs.Length);
                    break;
                case byte[] array:
                    for (int i = 0; i < array.Length - 1; i += StampEvery)
                        Check.That(array[i] == (byte)Prng.Mix(seed + (ulong)i), "a large array of bytes has changed");
                    Check.That(array[^1] == (byte)seed, "the end of a large array of bytes has changed");
                    // Rooms that nobody wrote to must still be zero: not only freshly zeroed, but not written to by others either. A grown array
                    // has old stamps in its first half, so only the part behind every stamp of the second half is looked at.
                    for (int i = array.Length / 2 / StampEvery * StampEvery + StampEvery; i + 65 < array.Length; i += StampEvery)
                        Check.That(array.AsSpan(i + 1, 64).IndexOfAnyExcept((byte)0) < 0, "a large array of bytes has bytes nobody wrote");
                    d.Add(array.Length);
                    break;
            }
            d.Add(seed);
            return d.Value;
        }
    }
}
