// Runs the same function on N threads of its own (not the pool's, whose number is the runtime's choice) and returns when all have ended.
// The first thread that fails makes the caller's Run throw at once, while the others may still be running: they are background threads and end with
// the process. Otherwise an OutOfMemoryException in one thread would wait for work that the others can no longer finish.

using System.Runtime.ExceptionServices;

namespace Garner.Bench;

internal static class Crew
{
    public static void Run(int threads, Action<int> work)
    {
        if (threads == 1)
        {
            work(0);
            return;
        }
        object gate = new();
        int running = threads;
        ExceptionDispatchInfo? failure = null;
        for (int t = 0; t < threads; t++)
        {
            int index = t;
            Thread thread = new(() =>
            {
                Exception? thrown = null;
                try
                {
                    work(index);
                }
                catch (Exception e)
                {
                    thrown = e;
                }
                lock (gate)
                {
                    if (thrown != null) failure ??= ExceptionDispatchInfo.Capture(thrown);
                    running--;
                    Monitor.Pulse(gate);
                }
            })
            { IsBackground = true, Name = $"work {t}" };
            thread.Start();
        }
        lock (gate)
        {
            while (running > 0 && failure == null) Monitor.Wait(gate);
        }
        failure?.Throw();
    }

    // The same with a result per thread, in thread order.
    public static T[] Run<T>(int threads, Func<int, T> work)
    {
        T[] results = new T[threads];
        Run(threads, t => { results[t] = work(t); });
        return results;
    }
}
