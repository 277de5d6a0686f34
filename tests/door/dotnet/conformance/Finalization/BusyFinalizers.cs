// Finalizers that allocate much, collect, make more finalizable objects, take locks and throw and catch.
// Rule: a finalizer is ordinary code; collections may run while it runs, and it may cause them.
// The finalizer thread takes objects off a queue that the collector appends to and updates.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-busy-finalizers", "finalizers may allocate, collect, create finalizable objects and throw inside")]
internal static class BusyFinalizers
{
    private static int s_runs, s_wrong;

    private sealed class Busy(int depth)
    {
        private readonly List<string> _own = [depth.ToString(), "own"];

        ~Busy()
        {
            List<byte[]> made = [];
            for (int i = 0; i < 50; i++)
                made.Add(new byte[i * 20]);
            if (depth % 3 == 0)
                Heap.Turn();
            if (depth > 0)
                _ = new Busy(depth - 1);
            try
            {
                if (depth % 2 == 0)
                    throw new InvalidOperationException(_own[1]);
            }
            catch (InvalidOperationException e) when (e.Message == "own")
            {
                Heap.Young();
            }
            if (_own[0] != depth.ToString() || made[49].Length != 980)
                Interlocked.Increment(ref s_wrong);
            Interlocked.Increment(ref s_runs);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Busy(4);
    }

    public static void Run(TextWriter output)
    {
        s_runs = s_wrong = 0;
        int count = Work.Scaled(100, 10);
        Make(count);
        // Allocation on this thread goes on while the finalizers run.
        Expect.That(Heap.Until(() => { Heap.Churn(64); return Volatile.Read(ref s_runs) >= count * 5; }), "five generations of finalizable objects");
        Expect.Equal(count * 5, s_runs);
        Expect.Equal(0, s_wrong);
        output.WriteLine($"{s_runs} runs");
    }
}
