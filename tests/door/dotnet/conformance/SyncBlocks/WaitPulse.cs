// Monitor.Wait and Pulse on objects that move while threads wait on them.
// Rule: waiting threads belong to the object's sync block, found through the object wherever it is.
// A waiting thread holds the object only through its stack; the block's weak back pointer must follow.

namespace Garner.Conformance;

[Behaviour("sync-wait-pulse", "Monitor.Wait/Pulse/PulseAll reach waiters on objects that moved while they waited")]
internal static class WaitPulse
{
    private sealed class Box { public int Value = -1; }

    public static void Run(TextWriter output)
    {
        int items = Work.Scaled(1500, 150);
        Box[] boxes = [new(), new(), new(), new()];
        long[] sums = new long[boxes.Length];
        Crew.Run(boxes.Length * 2, number =>
        {
            Box box = boxes[number / 2];
            if (number % 2 == 0)
            {
                for (int i = 0; i < items; i++)
                    lock (box)
                    {
                        while (box.Value >= 0)
                            Monitor.Wait(box);
                        box.Value = i;
                        Monitor.PulseAll(box);
                        if (i % 50 == 0)
                            Heap.Turn();
                    }
                return;
            }
            for (int i = 0; i < items; i++)
                lock (box)
                {
                    while (box.Value < 0)
                        Monitor.Wait(box);
                    Expect.Equal(i, box.Value);
                    sums[number / 2] += box.Value;
                    box.Value = -1;
                    Monitor.Pulse(box);
                }
        });
        foreach (long sum in sums)
            Expect.Equal(items * (items - 1L) / 2, sum);

        object gate = new();
        int waiting = 0, woken = 0;
        Thread[] threads = new Thread[12];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() =>
            {
                lock (gate)
                {
                    waiting++;
                    Monitor.Wait(gate);
                    woken++;
                }
            });
            threads[i].Start();
        }
        Expect.That(Heap.Wait(() => { lock (gate) return waiting == threads.Length; }), "all wait");
        for (int i = 0; i < 6; i++)
        {
            Heap.Churn(64);
            Heap.Turn();
        }
        lock (gate)
            Monitor.PulseAll(gate);
        foreach (Thread thread in threads)
            thread.Join();
        Expect.Equal(threads.Length, woken);
        lock (gate)
            Expect.That(!Monitor.Wait(gate, 1), "a wait that times out");
        output.WriteLine("all were woken");
    }
}
