// Thousands of threads that start, allocate, touch a thread static, keep a local over a collection, and end.
// Rule: a thread's allocation context, roots and statics appear when it starts and disappear when it ends, at any moment of a
// collection. A context that is used after its thread died, or missed because it is new, corrupts the heap.
// count=N replaces the number of threads (100,000 for a long run).

namespace Garner.Conformance;

[Behaviour("thread-churn", "2,000 threads (count=N) start, allocate and end while collections run")]
internal static class ThreadChurn
{
    [ThreadStatic] private static object? t_own;

    public static void Run(TextWriter output)
    {
        int count = Work.Count(2000, 100), done = 0, collections = 0;
        using CancellationTokenSource stop = new();
        Thread collector = new(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                Heap.Turn();
                collections++;
                Thread.Sleep(1);
            }
        });
        collector.Start();
        Queue<Thread> running = new();
        for (int i = 0; i < count; i++)
        {
            int number = i;
            Thread thread = new(() =>
            {
                t_own = new int[] { number };
                List<string> local = [];
                for (int k = 0; k < 20; k++)
                {
                    local.Add((number + k).ToString());
                    _ = new byte[number % 500];
                }
                if (number % 256 == 0)
                    Heap.Young();
                bool right = ((int[])t_own!)[0] == number;
                for (int k = 0; k < 20; k++)
                    right &= local[k] == (number + k).ToString();
                if (right)
                    Interlocked.Increment(ref done);
            }, 256 * 1024);
            thread.Start();
            running.Enqueue(thread);
            if (running.Count == 16)
                running.Dequeue().Join();
        }
        foreach (Thread thread in running)
            thread.Join();
        Expect.That(Heap.Wait(() => Volatile.Read(ref collections) > 0), "collections ran meanwhile"); // a few threads may be gone before its first turn
        stop.Cancel();
        collector.Join();
        Expect.Equal(count, done, "threads that saw their own objects");
        output.WriteLine($"{done} threads");
    }
}
