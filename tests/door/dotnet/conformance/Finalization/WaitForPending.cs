// GC.WaitForPendingFinalizers returns only when the queue is empty, and at once when there is nothing to do.
// Rule: after Collect and WaitForPendingFinalizers the finalizers of everything found unreachable have run.
// The collector must report that it found something, and wake the finalizer thread after the world runs again.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-wait-for-pending", "GC.WaitForPendingFinalizers waits for slow finalizers of what was found unreachable")]
internal static class WaitForPending
{
    private static int s_runs;

    private sealed class Slow { ~Slow() { Thread.Sleep(2); Interlocked.Increment(ref s_runs); } }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Slow();
    }

    public static void Run(TextWriter output)
    {
        int count = 20;
        for (int round = 1; round <= 3; round++)
        {
            s_runs = 0;
            Make(count);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Expect.Equal(count, s_runs, $"finalizers that ran before the wait returned in round {round}");
        }
        // Several threads may wait at once.
        s_runs = 0;
        Make(count);
        GC.Collect();
        Crew.Run(4, _ =>
        {
            GC.WaitForPendingFinalizers();
            Expect.Equal(count, Volatile.Read(ref s_runs));
        });
        for (int i = 0; i < 100; i++)
            GC.WaitForPendingFinalizers();
        output.WriteLine("waited for all");
    }
}
