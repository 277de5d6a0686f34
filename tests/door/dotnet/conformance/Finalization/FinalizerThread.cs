// All finalizers run on one background thread that is not the thread that made the objects, and never two at a time.
// Rule: finalizers are run one after another on the finalizer thread.
// A collector that runs finalizers itself, or on its workers, breaks code that relies on this.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-thread", "finalizers run on one and the same background thread, one at a time, also after GC.Collect from many threads")]
internal static class FinalizerThread
{
    private static readonly HashSet<int> s_threads = [];
    private static int s_inside, s_overlaps, s_runs, s_foreground;

    private sealed class Reports
    {
        ~Reports()
        {
            if (Interlocked.Increment(ref s_inside) != 1)
                Interlocked.Increment(ref s_overlaps);
            lock (s_threads)
                s_threads.Add(Environment.CurrentManagedThreadId);
            if (!Thread.CurrentThread.IsBackground)
                Interlocked.Increment(ref s_foreground);
            Thread.Yield();
            Interlocked.Decrement(ref s_inside);
            Interlocked.Increment(ref s_runs);
        }
    }

    public static void Run(TextWriter output)
    {
        s_threads.Clear();
        s_overlaps = s_runs = s_foreground = 0;
        HashSet<int> makers = [Environment.CurrentManagedThreadId];
        int perThread = Work.Scaled(300, 30);
        Crew.Run(4, _ =>
        {
            lock (makers)
                makers.Add(Environment.CurrentManagedThreadId);
            for (int i = 0; i < perThread; i++)
            {
                Make();
                if (i % 30 == 0)
                    Heap.Turn();
            }
        });
        Expect.That(Heap.Until(() => Volatile.Read(ref s_runs) == 4 * perThread), "all are finalized");
        Expect.Equal(1, s_threads.Count, "threads that ran finalizers");
        Expect.That(!s_threads.Overlaps(makers), "the finalizer thread is a thread of its own");
        Expect.Equal(0, s_overlaps, "finalizers at the same time");
        Expect.Equal(0, s_foreground, "runs on a foreground thread");
        output.WriteLine($"{s_runs} runs on one thread");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make() => _ = new Reports();
}
