// GC.GetAllocatedBytesForCurrentThread: exact for objects of known size, small, large and pinned, over collections.
// Rule: the difference is the sum of the objects' sizes; collections in between do not change it.
// Computed from the buffer's position: whoever retires a buffer must take its unused rest back. Without tiers: code that is made better while it loops is charged to the thread that runs it, on stock too.

namespace Garner.Conformance;

[Behaviour("api-thread-allocated", "GC.GetAllocatedBytesForCurrentThread is exact to the byte, over buffers, collections, large and pinned objects", Settings = "DOTNET_TieredCompilation=0")]
internal static class ThreadAllocated
{
    private static long Measure(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    public static void Run(TextWriter output)
    {
        Action nothing = static () => { };
        Action objects = static () => { for (int i = 0; i < 3000; i++) GC.KeepAlive(new object()); };
        Action arrays = static () => { for (int i = 0; i < 2000; i++) GC.KeepAlive(new byte[i]); };
        Action middle = static () => { for (int i = 0; i < 50; i++) GC.KeepAlive(new byte[40_000]); };
        Action pinned = static () => { for (int i = 0; i < 20; i++) GC.KeepAlive(GC.AllocateArray<byte>(1000, pinned: true)); };
        Action collected = static () =>
        {
            for (int i = 0; i < 300; i++)
            {
                GC.KeepAlive(new object());
                if (i % 30 == 0)
                    GC.Collect(i % 3);
            }
        };
        Action large = static () => GC.KeepAlive(new byte[200_000]);
        // Once to have everything compiled and initialised.
        foreach (Action action in (Action[])[nothing, objects, arrays, middle, pinned, collected, large])
            _ = Measure(action);
        long arrayBytes = 0;
        for (int i = 0; i < 2000; i++)
            arrayBytes += (24 + i + 7) / 8 * 8;
        for (int round = 0; round < 5; round++)
        {
            Expect.Equal(0, Measure(nothing));
            Expect.Equal(3000 * 24L, Measure(objects));
            Expect.Equal(arrayBytes, Measure(arrays));
            Expect.Equal(50 * 40_024L, Measure(middle));
            Expect.Equal(20 * 1024L, Measure(pinned));
            Expect.Equal(300 * 24L, Measure(collected));
            long measured = Measure(large);
            Expect.That(measured is >= 200_024 and <= 200_024 + 128, "a large array with at most alignment");
        }
        output.WriteLine("exact");
    }
}
