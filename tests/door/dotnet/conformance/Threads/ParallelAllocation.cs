// Many threads allocate at the same time, more threads than processors, sizes from small to large, keeping some.
// Rule: allocation contexts are per thread; no two objects overlap.
// Buffers are handed out, retired at collections and taken again; a buffer given twice mixes two threads' objects.

namespace Garner.Conformance;

[Behaviour("thread-allocation", "16 threads allocating small and large objects never get overlapping ones")]
internal static class ParallelAllocation
{
    public static void Run(TextWriter output)
    {
        int steps = Work.Scaled(15_000, 500);
        Crew.Run(16, number =>
        {
            Dice dice = new((ulong)number + 1);
            byte[]?[] kept = new byte[]?[200];
            int[] lengths = new int[200];
            for (int i = 0; i < steps; i++)
            {
                int slot = dice.Below(kept.Length);
                if (kept[slot] is { } old && (old.Length != lengths[slot] || old.AsSpan().ContainsAnyExcept((byte)(number * 16 + slot % 16))))
                    Expect.That(false, $"slot {slot} of thread {number} in step {i}");
                lengths[slot] = dice.Below(500) switch { 0 => 90_000 + dice.Below(1000), < 10 => dice.Below(20_000), _ => dice.Below(300) };
                byte[] made = new byte[lengths[slot]];
                if (made.AsSpan().ContainsAnyExcept((byte)0))
                    Expect.That(false, $"new memory of thread {number} in step {i}");
                made.AsSpan().Fill((byte)(number * 16 + slot % 16));
                kept[slot] = made;
            }
        });
        output.WriteLine("16 threads");
    }
}
