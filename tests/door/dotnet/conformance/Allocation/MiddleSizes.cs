// Objects between 2,000 bytes and the large-object threshold, larger than an allocation buffer, among small ones.
// Rule: a request that does not fit the thread's buffer is served outside it, or a new buffer is made; the remainder of the old one
// is filled so that the heap can be walked.
// A forgotten remainder breaks the walk; a wrong limit lets two objects overlap.

namespace Garner.Conformance;

[Behaviour("alloc-middle-sizes", "objects of 2 kB to 85 kB, larger than allocation buffers, never overlap and are zero when new")]
internal static class MiddleSizes
{
    public static void Run(TextWriter output)
    {
        Dice dice = new(11);
        int slots = 300;
        byte[][] large = new byte[slots][];
        int[][] small = new int[slots][];
        long total = 0;
        for (int i = 0; i < Work.Scaled(6000, 300); i++)
        {
            int slot = dice.Below(slots);
            int length = dice.Below(3) switch { 0 => 2000 + dice.Below(6000), 1 => 8000 + dice.Below(500), _ => 8192 + dice.Below(76_000) };
            byte[] fresh = new byte[length];
            Expect.That(!fresh.AsSpan().ContainsAnyExcept((byte)0), $"byte[{length}] is zero");
            fresh.AsSpan().Fill((byte)(slot + 1));
            large[slot] = fresh;
            small[slot] = [slot, i];
            total += length;
            if (i % 500 == 499)
            {
                Heap.Turn();
                Verify(large, small);
            }
        }
        Verify(large, small);
        output.WriteLine(Work.Divisor > 1 ? "held" : $"{total} bytes");
    }

    private static void Verify(byte[][] large, int[][] small)
    {
        for (int slot = 0; slot < large.Length; slot++)
        {
            if (large[slot] == null)
                continue;
            Expect.That(!large[slot].AsSpan().ContainsAnyExcept((byte)(slot + 1)), $"large object of slot {slot}");
            Expect.That(small[slot][0] == slot, $"small object of slot {slot}");
        }
    }
}
