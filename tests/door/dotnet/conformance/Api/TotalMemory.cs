// GC.GetTotalMemory with and without a collection first, as memory is taken and dropped.
// Rule: the number of bytes thought to be allocated follows what the program holds; true waits until it has settled.
// A figure that counts committed or copied memory does not come down when objects die.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-total-memory", "GC.GetTotalMemory rises with live memory and falls when it is dropped")]
internal static class TotalMemory
{
    private const long Large = 40_000_000, Small = 10_000_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long WithMemory(bool large)
    {
        object held;
        if (large)
        {
            held = new byte[Large];
        }
        else
        {
            byte[][] many = new byte[Small / 1000][];
            for (int i = 0; i < many.Length; i++)
                many[i] = new byte[976];
            held = many;
        }
        long total = GC.GetTotalMemory(true);
        Expect.That(GC.GetTotalMemory(false) > 0, "without a collection");
        GC.KeepAlive(held);
        return total;
    }

    public static void Run(TextWriter output)
    {
        Heap.Settle();
        foreach (bool large in (bool[])[true, false])
        {
            long before = GC.GetTotalMemory(true);
            long with = WithMemory(large);
            Heap.Settle();
            long after = GC.GetTotalMemory(true);
            long amount = large ? Large : Small;
            Expect.That(before > 0 && with >= before + amount * 9 / 10, $"total memory rises, large {large}");
            Expect.That(with <= before + amount * 3 / 2 + 8_000_000, $"by about what was allocated, large {large}");
            Expect.That(after <= before + amount / 4, $"total memory falls, large {large}");
        }
        output.WriteLine("rises and falls");
    }
}
