// GC.GetTotalAllocatedBytes, precise and not, over allocations of many threads including ended ones.
// Rule: it never falls and never misses what was allocated; precise is exact up to what other threads of the runtime do.
// Bytes in half-used buffers, in buffers of dead threads and in retired ones must be counted once.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-total-allocated", "GC.GetTotalAllocatedBytes is monotone and counts every byte of live and ended threads")]
internal static class TotalAllocated
{
    public static void Run(TextWriter output)
    {
        const int Threads = 6;
        int each = Work.Scaled(20_000, 1000);
        Heap.Full();
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Crew.Run(Threads, _ =>
        {
            for (int i = 0; i < each; i++)
                GC.KeepAlive(new byte[i % 8 == 0 ? 976 : 16]);
        });
        long expected = Threads * (each / 8 * 1000L + (each - each / 8) * 40L);
        long difference = GC.GetTotalAllocatedBytes(precise: true) - before;
        Expect.That(difference >= expected, "every byte is counted");
        Expect.That(difference <= expected + 2_000_000, "and little else");
        long last = GC.GetTotalAllocatedBytes(false), lastPrecise = GC.GetTotalAllocatedBytes(true);
        for (int i = 0; i < 300; i++)
        {
            Heap.Churn(i % 50);
            if (i % 20 == 0)
                Heap.Turn();
            long now = GC.GetTotalAllocatedBytes(false);
            Expect.That(now >= last, "imprecise never falls");
            last = now;
            if (i % 10 == 0)
            {
                long precise = GC.GetTotalAllocatedBytes(true);
                Expect.That(precise >= lastPrecise, "precise never falls");
                lastPrecise = precise;
            }
        }
        // Between pins a thread's buffer may be made of several holes. Those it has not come to are not allocated, before a collection as after it.
        GCHandle[] pins = new GCHandle[8000];
        for (int i = 0; i < pins.Length; i++)
        {
            GC.KeepAlive(new byte[400 + i % 1500]);
            pins[i] = GCHandle.Alloc(new byte[32], GCHandleType.Pinned);
        }
        Heap.Young();
        for (int i = 0; i < 200; i++)
        {
            before = GC.GetTotalAllocatedBytes(true);
            GC.KeepAlive(new byte[1000]);
            difference = GC.GetTotalAllocatedBytes(true) - before;
            Expect.That(difference is >= 1024 and < 20_000, $"one small array is counted: {difference}");
            if (i % 20 != 19)
                continue;
            Heap.Young();
            long collected = GC.GetTotalAllocatedBytes(true);
            Expect.That(collected >= before + difference, "a collection takes nothing back");
        }
        foreach (GCHandle pin in pins)
            pin.Free();
        before = GC.GetTotalAllocatedBytes(true);
        GC.KeepAlive(new byte[3_000_000]);
        GC.KeepAlive(GC.AllocateArray<byte>(1_000_000, pinned: true));
        Expect.That(GC.GetTotalAllocatedBytes(true) - before >= 4_000_000, "large and pinned arrays are counted");
        output.WriteLine("counted");
    }
}
