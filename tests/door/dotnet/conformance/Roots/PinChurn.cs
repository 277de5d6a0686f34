// Tens of thousands of short pins from several threads, as I/O code makes them: rent, pin, use the address, unpin, drop.
// Rule: a pin costs nothing when it is gone; the memory it held is used again.
// Leaving every once-pinned region in place fragments the heap until a large request fails.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-pin-churn", "many short pins from several threads hold their address while pinned, and leak nothing")]
internal static class PinChurn
{
    public static unsafe void Run(TextWriter output)
    {
        int perThread = Work.Scaled(15_000, 800);
        Crew.Run(4, number =>
        {
            Dice dice = new((ulong)number + 5);
            Queue<(GCHandle Pin, byte[] Buffer, nint Address)> live = new();
            for (int i = 0; i < perThread; i++)
            {
                byte[] buffer = new byte[64 + dice.Below(1500)];
                GCHandle pin = GCHandle.Alloc(buffer, GCHandleType.Pinned);
                nint address = pin.AddrOfPinnedObject();
                *(int*)address = i;
                live.Enqueue((pin, buffer, address));
                if (live.Count > 40)
                {
                    (GCHandle oldPin, byte[] oldBuffer, nint oldAddress) = live.Dequeue();
                    if (oldPin.AddrOfPinnedObject() != oldAddress || BitConverter.ToInt32(oldBuffer) != i - 40)
                        Expect.That(false, $"pin {i - 40} of thread {number}");
                    oldPin.Free();
                }
                if (i % 4000 == 3999)
                    Heap.Turn();
            }
            foreach ((GCHandle pin, _, _) in live)
                pin.Free();
        });
        Heap.Settle();
        byte[] large = new byte[50_000_000];
        Expect.That(large[^1] == 0, "room for a large array afterwards");
        output.WriteLine("no pin was lost");
    }
}
