// Requests that can never be met under a hard limit, and filling the heap with large arrays until it is full, many times.
// Rule: the allocation throws OutOfMemoryException; dropping the memory makes the next round possible; nothing else changes.
// The collector degrades step by step: full collection, compaction, then null to the runtime, never a crash.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-oom-large", "under a 200 MB hard limit large allocations end in OutOfMemoryException, again and again, and the program goes on", Settings = "DOTNET_GCHeapHardLimit=0xC800000")]
internal static class OomLarge
{
    private const long Limit = 0xC800000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Fill()
    {
        List<byte[]> all = [];
        try
        {
            while (all.Count < 1000)
                all.Add(new byte[1_000_000]);
            return int.MaxValue;
        }
        catch (OutOfMemoryException)
        {
            foreach (byte[] array in all)
                if (array[0] != 0 || array[^1] != 0)
                    return -1;
            return all.Count;
        }
    }

    public static void Run(TextWriter output)
    {
        string[] kept = [.. Enumerable.Range(0, 1000).Select(static i => i.ToString())];
        for (int i = 0; i < 20; i++)
            Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new byte[1_500_000_000]), "an array above the limit");
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new string('x', 500_000_000)), "a string above the limit");
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(GC.AllocateArray<byte>(1_000_000_000, pinned: true)), "a pinned array above the limit");
        Expect.Throws<OutOfMemoryException>(static () => GC.KeepAlive(new long[0x7FFFFFC7]), "the longest array");
        int rounds = Work.Scaled(12, 2);
        for (int round = 0; round < rounds; round++)
        {
            int count = Fill();
            Expect.That(count is >= 0 and < int.MaxValue && count * 1_000_000L <= Limit, "arrays fill no more than the limit");
            Expect.That(round > 0 || count * 1_000_000L >= Limit / 2, "and at least half of it the first time");
            Heap.Full();
            Expect.That(new byte[5_000_000].Length == 5_000_000, "memory is there again");
        }
        for (int i = 0; i < kept.Length; i++)
            Expect.Equal(i.ToString(), kept[i]);
        output.WriteLine($"{rounds} rounds");
    }
}
