// Pinned and movable objects alternate in memory; both kinds refer to each other; pins come and go between collections.
// Rule: only the pinned object stays; its neighbours are free to move, die, or be replaced.
// An object kept in place inside evacuated memory: liveness, headers, gaps around it, and the object-start table must be right.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-pins-among-movers", "pinned objects between movable ones: addresses hold, neighbours keep identity and content")]
internal static class PinsAmongMovers
{
    private sealed class Mover { public byte[]? Pinned; public Mover? Next; public int Number; }

    public static void Run(TextWriter output)
    {
        Dice dice = new(21);
        const int Length = 1500;
        Mover[] movers = new Mover[Length];
        byte[][] buffers = new byte[Length][];
        GCHandle[] pins = new GCHandle[Length];
        nint[] addresses = new nint[Length];
        int rounds = Work.Scaled(40, 6);
        for (int round = 0; round < rounds; round++)
        {
            for (int k = 0; k < 120; k++)
            {
                int i = dice.Below(Length);
                if (pins[i].IsAllocated)
                    pins[i].Free();
                byte[] buffer = new byte[dice.Below(200)];
                buffer.AsSpan().Fill((byte)i);
                Mover mover = new() { Pinned = buffer, Number = i, Next = movers[dice.Below(Length)] };
                buffers[i] = buffer;
                movers[i] = mover;
                if (dice.Below(3) != 0)
                {
                    pins[i] = GCHandle.Alloc(buffer, GCHandleType.Pinned);
                    addresses[i] = pins[i].AddrOfPinnedObject();
                }
                else
                {
                    pins[i] = default;
                }
            }
            if (round % 3 == 0)
                Heap.Churn(200);
            Heap.Turn();
            for (int i = 0; i < Length; i++)
            {
                if (movers[i] == null)
                    continue;
                Expect.That(movers[i].Number == i && movers[i].Pinned == buffers[i] && !buffers[i].AsSpan().ContainsAnyExcept((byte)i), $"mover {i} in round {round}");
                Expect.That(movers[i].Next == null || movers[i].Next!.Pinned!.AsSpan().IndexOfAnyExcept((byte)movers[i].Next!.Number) < 0, $"neighbour of {i}");
                if (pins[i].IsAllocated)
                    Expect.Equal(addresses[i], pins[i].AddrOfPinnedObject(), $"address of {i}");
            }
            // Chains of replaced movers would grow for ever.
            foreach (Mover mover in movers)
                if (mover != null && dice.Below(4) == 0)
                    mover.Next = null;
        }
        foreach (GCHandle pin in pins)
            if (pin.IsAllocated)
                pin.Free();
        Heap.Full();
        output.WriteLine("pins and movers hold");
    }
}
