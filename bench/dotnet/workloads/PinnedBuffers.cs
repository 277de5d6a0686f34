// pinned-buffers: buffers pinned in every way .NET has (GCHandle, PinnedGCHandle, MemoryHandle, `fixed`, pinned arrays), held for a while and released in
// another order than made, as programs do that hand memory to the operating system.
//
// It stresses pins: a young collection that must leave single objects where they are among dead neighbours, the holes this leaves, the pinned-object
// heap's own allocation and sweeping, many pinned handles, and pinned locals on the stack while collections happen.
//
// One operation makes one buffer, writes through its address, and releases the one that was pinned longest in its slot. At release the address must be
// the one taken when it was pinned, and what raw pointers read there must be what the array holds: a pinned object that was moved or whose
// memory was given away is noticed. Addresses are compared, never added to the checksum.

using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Bench;

internal sealed unsafe class PinnedBuffers : Workload
{
    public override string Name => "pinned-buffers";

    public override string Stresses => "pinned objects among dead neighbours, pinned handles and locals, the pinned-object heap";

    public override Parameter[] Parameters =>
    [
        new("pins", 20_000, LaneCount, 10_000_000, "buffers pinned at a time"),
        new("bytes", 4096, 64, 80_000, "size of the largest buffer; small ones are more frequent"),
        new("buffers", 2_000_000, LaneCount, 10_000_000_000, "buffers made in all"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters) =>
        RunLanes(parameters.Threads, parameters.Long("buffers"), lane => new Lane(parameters.Seed, lane, parameters.Int("pins") / LaneCount, parameters.Int("bytes")));

    private enum Kind : byte { Empty, Handle, TypedHandle, MemoryHandle, PinnedArray }

    private struct Pin
    {
        public Kind Kind;
        public byte[] Array;
        public byte* Address;
        public ulong Seed;
        public GCHandle Handle;
        public PinnedGCHandle<byte[]> Typed;
        public MemoryHandle Memory;
    }

    private sealed class Lane(ulong seed, int lane, int pinCount, int maxBytes) : ILane
    {
        private readonly Pin[] pins = new Pin[pinCount];
        // Ordinary objects between the pinned ones, so that there is something to move around them.
        private readonly byte[]?[] neighbours = new byte[64][];
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;

        public void Step()
        {
            ulong bufferSeed = prng.Next();
            int bytes = 32 + prng.Skewed(maxBytes - 31, 2);
            int neighbour = prng.Below(neighbours.Length);
            neighbours[neighbour] = new byte[24 + prng.Below(200)];
            neighbours[neighbour]![0] = (byte)neighbour;
            if (prng.OneIn(4))
            {
                OnTheStack(bytes, bufferSeed);
                return;
            }
            ref Pin pin = ref pins[prng.Below(pins.Length)];
            Release(ref pin);
            pin.Seed = bufferSeed;
            switch (bufferSeed % 5)
            {
                case 0:
                case 1:
                    pin.Kind = Kind.Handle;
                    pin.Array = new byte[bytes];
                    pin.Handle = GCHandle.Alloc(pin.Array, GCHandleType.Pinned);
                    pin.Address = (byte*)pin.Handle.AddrOfPinnedObject();
                    break;
                case 2:
                    pin.Kind = Kind.TypedHandle;
                    pin.Array = new byte[bytes];
                    pin.Typed = new PinnedGCHandle<byte[]>(pin.Array);
                    pin.Address = pin.Typed.GetAddressOfArrayData();
                    break;
                case 3:
                    pin.Kind = Kind.MemoryHandle;
                    pin.Array = new byte[bytes];
                    pin.Memory = pin.Array.AsMemory().Pin();
                    pin.Address = (byte*)pin.Memory.Pointer;
                    break;
                default:
                    pin.Kind = Kind.PinnedArray;
                    pin.Array = GC.AllocateArray<byte>(bytes, pinned: true);
                    pin.Address = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pin.Array));
                    break;
            }
            // Half of them are written through the address, as a device would, half through the array.
            Span<byte> target = bufferSeed % 2 == 0 ? new Span<byte>(pin.Address, bytes) : pin.Array;
            Fill(target, bufferSeed);
        }

        // Pinned locals: a buffer held by `fixed` in each of a few nested calls, while every call allocates and so may start a collection.
        private void OnTheStack(int bytes, ulong bufferSeed) => digest.Add(Nested(bytes, bufferSeed, 3));

        [MethodImpl(MethodImplOptions.NoInlining)]
        private ulong Nested(int bytes, ulong bufferSeed, int depth)
        {
            byte[] array = new byte[bytes];
            string garbage;
            ulong below;
            fixed (byte* address = array)
            {
                Fill(new Span<byte>(address, bytes), bufferSeed + (ulong)depth);
                garbage = $"{lane}:{bytes}:{depth}";
                below = depth == 0 ? 0 : Nested(bytes, bufferSeed, depth - 1);
                fixed (byte* again = array) Check.That(address == again, "a pinned local has moved");
                Verify(new Span<byte>(address, bytes), bufferSeed + (ulong)depth);
            }
            return below * 31 + (ulong)garbage.Length;
        }

        private void Release(ref Pin pin)
        {
            if (pin.Kind == Kind.Empty) return;
            byte* now = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pin.Array));
            Check.That(now == pin.Address, "a pinned buffer has moved");
            Verify(new Span<byte>(pin.Address, pin.Array.Length), pin.Seed);
            digest.Add(pin.Array.Length);
            digest.Add(pin.Seed);
            switch (pin.Kind)
            {
                case Kind.Handle:
                    Check.That(ReferenceEquals(pin.Handle.Target, pin.Array), "a pinned handle has another target");
                    pin.Handle.Free();
                    break;
                case Kind.TypedHandle:
                    Check.That(ReferenceEquals(pin.Typed.Target, pin.Array), "a pinned handle has another target");
                    pin.Typed.Dispose();
                    break;
                case Kind.MemoryHandle:
                    pin.Memory.Dispose();
                    break;
            }
            pin.Kind = Kind.Empty;
        }

        public ulong Verify()
        {
            for (int i = 0; i < pins.Length; i++) Release(ref pins[i]);
            for (int i = 0; i < neighbours.Length; i++)
                if (neighbours[i] is { } n) Check.That(n[0] == (byte)i, "a buffer between pinned ones has changed");
            return digest.Value;
        }

        private static void Fill(Span<byte> bytes, ulong bufferSeed)
        {
            bytes.Fill((byte)bufferSeed);
            MemoryMarshal.Write(bytes, bufferSeed);
            MemoryMarshal.Write(bytes[^8..], ~bufferSeed);
        }

        private static void Verify(Span<byte> bytes, ulong bufferSeed)
        {
            Check.That(MemoryMarshal.Read<ulong>(bytes) == bufferSeed && MemoryMarshal.Read<ulong>(bytes[^8..]) == ~bufferSeed, "a pinned buffer's ends have changed");
            Check.That(bytes[8..^8].IndexOfAnyExcept((byte)bufferSeed) < 0, "a pinned buffer has changed inside");
        }
    }
}
