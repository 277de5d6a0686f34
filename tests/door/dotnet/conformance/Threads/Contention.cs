// Heavy contention on monitors with allocation inside and outside, timeouts, and waits that are interrupted.
// Rule: blocked threads are at safe points; the lock order and counts hold whatever collection comes between.
// Waiters are in preemptive mode: they may be woken in the middle of a collection and must wait for its end.

namespace Garner.Conformance;

[Behaviour("thread-contention", "contended monitors with allocation inside, timeouts and interrupts keep their counts")]
internal static class Contention
{
    public static void Run(TextWriter output)
    {
        object[] gates = [new(), new int[3], "gate".ToUpperInvariant()];
        Dictionary<int, List<string>> shared = [];
        int steps = Work.Scaled(3000, 200);
        Crew.Run(8, number =>
        {
            for (int i = 0; i < steps; i++)
            {
                lock (gates[i % gates.Length])
                {
                    string text = $"{number}.{i}";
                    if (i % gates.Length == 0)
                    {
                        if (!shared.TryGetValue(i % 50, out List<string>? list))
                            shared.Add(i % 50, list = []);
                        list.Add(text);
                    }
                }
                if (number == 0 && i % 200 == 0)
                    Heap.Turn();
            }
        });
        Expect.Equal(8 * ((steps + 2) / 3), shared.Values.Sum(static l => l.Count));
        // Time-outs while another thread holds the lock over collections.
        int timeouts = 0;
        lock (gates[0])
        {
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.Length; i++)
            {
                threads[i] = new Thread(() =>
                {
                    if (!Monitor.TryEnter(gates[0], 20))
                        Interlocked.Increment(ref timeouts);
                });
                threads[i].Start();
            }
            foreach (Thread thread in threads)
                while (!thread.Join(1))
                    Heap.Turn();
        }
        Expect.Equal(4, timeouts);
        int interrupted = 0;
        Thread sleeper = new(() =>
        {
            int[] local = [5];
            try
            {
                Thread.Sleep(Timeout.Infinite);
            }
            catch (ThreadInterruptedException)
            {
                interrupted = local[0];
            }
        });
        sleeper.Start();
        for (int i = 0; i < 5; i++)
            Heap.Turn();
        sleeper.Interrupt();
        sleeper.Join();
        Expect.Equal(5, interrupted);
        output.WriteLine("counts hold");
    }
}
