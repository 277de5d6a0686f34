// A cache of buffers and strings of all sizes with random replacement: objects of every age and size die in random order.
// Rule: what is reachable stays as it is, whatever dies around it.
// Fragmented old memory, promotion beside holes and large objects freed between small ones.

namespace Garner.Conformance;

[Behaviour("alloc-mixed-lifetimes", "a random-replacement cache of small and large buffers and strings keeps every live entry's checksum")]
internal static class MixedLifetimes
{
    private sealed record Entry(byte[] Buffer, string Name, byte Seed, Entry? Neighbour);

    public static void Run(TextWriter output)
    {
        Dice dice = new(99);
        Entry?[] cache = new Entry?[2500];
        int steps = Work.Scaled(60_000, 3000);
        for (int step = 0; step < steps; step++)
        {
            int slot = dice.Below(cache.Length);
            int length = dice.Below(1000) switch { < 3 => 85_000 + dice.Below(150_000), < 50 => 4000 + dice.Below(20_000), _ => dice.Below(600) };
            byte[] buffer = new byte[length];
            buffer.AsSpan().Fill((byte)step);
            Entry? neighbour = cache[dice.Below(cache.Length)];
            cache[slot] = new Entry(buffer, $"entry {slot}", (byte)step, neighbour == null ? null : neighbour with { Neighbour = null });
            if (step % 10_000 == 9_999)
            {
                Heap.Turn();
                Verify(cache);
            }
        }
        Heap.Full();
        Verify(cache);
        output.WriteLine("cache is whole");
    }

    private static void Verify(Entry?[] cache)
    {
        for (int slot = 0; slot < cache.Length; slot++)
            if (cache[slot] is { } entry)
            {
                Expect.That(!entry.Buffer.AsSpan().ContainsAnyExcept(entry.Seed) && entry.Name == $"entry {slot}", $"entry {slot}");
                Expect.That(entry.Neighbour == null || !entry.Neighbour.Buffer.AsSpan().ContainsAnyExcept(entry.Neighbour.Seed), $"neighbour of {slot}");
            }
    }
}
