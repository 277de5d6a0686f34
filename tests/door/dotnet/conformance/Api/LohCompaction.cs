// GCSettings.LargeObjectHeapCompactionMode: CompactOnce takes effect at the next blocking full collection and resets itself.
// Rule: large objects may move then; identity and content stay, pinned large objects do not move.
// The one time that large objects move: every reference into them must be updated after all.

using System.Runtime;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-loh-compaction", "LargeObjectHeapCompactionMode.CompactOnce resets itself, large objects keep identity, pinned ones their address")]
internal static class LohCompaction
{
    public static void Run(TextWriter output)
    {
        Dice dice = new(7);
        byte[]?[] large = new byte[]?[120];
        object?[][] references = new object?[20][];
        for (int i = 0; i < large.Length; i++)
        {
            large[i] = new byte[90_000 + dice.Below(100_000)];
            large[i].AsSpan().Fill((byte)i);
            if (i % 6 == 0)
            {
                references[i / 6] = new object?[15_000];
                references[i / 6][i] = large[i];
                references[i / 6][14_999] = new int[] { i };
            }
        }
        for (int round = 0; round < 4; round++)
        {
            for (int i = round + 1; i < large.Length; i += 5)
                if (i % 6 != 0)
                    large[i] = null;
            GCHandle pin = GCHandle.Alloc(large[60], GCHandleType.Pinned);
            nint address = pin.AddrOfPinnedObject();
            Span<byte> middle = large[0].AsSpan(50_000);
            GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
            Expect.Equal(GCLargeObjectHeapCompactionMode.CompactOnce, GCSettings.LargeObjectHeapCompactionMode);
            GC.Collect();
            Expect.Equal(GCLargeObjectHeapCompactionMode.Default, GCSettings.LargeObjectHeapCompactionMode);
            Expect.Equal(address, pin.AddrOfPinnedObject());
            pin.Free();
            Expect.That(!middle.ContainsAnyExcept((byte)0), "a span into a large array");
            for (int i = 0; i < large.Length; i++)
            {
                if (large[i] != null)
                    Expect.That(!large[i].AsSpan().ContainsAnyExcept((byte)i), $"large array {i}");
                if (i % 6 == 0)
                    Expect.That(references[i / 6][i] == large[i] && ((int[])references[i / 6][14_999]!)[0] == i, $"references of {i}");
            }
        }
        Expect.Throws<ArgumentOutOfRangeException>(static () => GCSettings.LargeObjectHeapCompactionMode = (GCLargeObjectHeapCompactionMode)9, "an unknown mode");
        output.WriteLine("compacted once, four times");
    }
}
