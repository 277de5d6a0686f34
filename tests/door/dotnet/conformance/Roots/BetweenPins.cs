// Allocation into the holes between thousands of pins, from several threads, with collections between.
// Rule: new memory is zero and nobody else's, counts are exact, whatever holes a thread's buffer is made of.
// A buffer may be made of several holes: whoever closes one of them, or hands the next on, must count each byte once and zero it.
// All is compiled before it runs: where a loop is compiled anew while it runs, its thread is charged for 6,912 bytes of the runtime's, on stock too (17 of 120 runs).

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-between-pins", "memory between thousands of pins is zero, unshared and counted to the byte when it is allocated again, by several threads", Settings = "DOTNET_TieredCompilation=0")]
internal static class BetweenPins
{
    private static long Size(int bytes) => (24 + bytes + 7) / 8 * 8;

    public static void Run(TextWriter output)
    {
        const int Threads = 4;
        int pins = Work.Scaled(12_000, 3000), each = Work.Scaled(60_000, 5000);
        (GCHandle Pin, byte[] Buffer)[] held = new (GCHandle, byte[])[pins];
        Dice dice = new(11);
        for (int i = 0; i < pins; i++)
        {
            GC.KeepAlive(new byte[100 + dice.Below(3000)]);
            byte[] buffer = new byte[40 + i % 50];
            Array.Fill(buffer, (byte)(i | 1));
            held[i] = (GCHandle.Alloc(buffer, GCHandleType.Pinned), buffer);
        }
        Heap.Young();
        long before = GC.GetTotalAllocatedBytes(precise: true), expected = 0;
        Crew.Run(Threads, number =>
        {
            Dice mine = new((ulong)number + 77);
            Queue<byte[]> kept = new(300); // has grown already when bytes are counted
            for (int i = 0; i < 250; i++)
                kept.Enqueue([]);
            long began = GC.GetAllocatedBytesForCurrentThread(), sum = 0;
            for (int i = 0; i < each; i++)
            {
                int bytes = mine.Below(100) switch { < 60 => mine.Below(120), < 95 => 300 + mine.Below(2500), _ => 4000 + mine.Below(9000) };
                byte[] made = new byte[bytes];
                sum += Size(bytes);
                if (made.AsSpan().ContainsAnyExcept((byte)0))
                    Expect.That(false, $"array {i} of thread {number} is not zero");
                made.AsSpan().Fill((byte)(number + 1));
                kept.Enqueue(made);
                byte[] old = kept.Dequeue();
                if (old.AsSpan().ContainsAnyExcept((byte)(number + 1)))
                    Expect.That(false, $"an array of thread {number} is somebody else's, too");
                if (i % 7000 == 6999)
                    GC.Collect(number % 2 == 0 ? 0 : 1);
            }
            if (GC.GetAllocatedBytesForCurrentThread() - began != sum)
                Expect.That(false, $"thread {number} allocated {sum} bytes and is told {GC.GetAllocatedBytesForCurrentThread() - began}");
            Interlocked.Add(ref expected, sum);
        });
        long counted = GC.GetTotalAllocatedBytes(precise: true) - before;
        Expect.That(counted >= expected, $"every byte is counted: {counted} of {expected}");
        Expect.That(counted <= expected + 2_000_000, $"and little else: {counted}, where {expected} were allocated");
        for (int i = 0; i < pins; i++)
        {
            if (held[i].Buffer.AsSpan().ContainsAnyExcept((byte)(i | 1)))
                Expect.That(false, $"pin {i} was written over");
            held[i].Pin.Free();
        }
        output.WriteLine("counted and kept apart");
    }
}
