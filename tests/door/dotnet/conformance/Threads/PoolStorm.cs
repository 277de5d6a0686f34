// Storms of short thread-pool work items that allocate, queue more items, and use local and global queues.
// Rule: pool threads come and go and are often inside native waits when a collection starts.
// Work items live in lock-free queues of arrays of references, written by one thread and stolen by others.

namespace Garner.Conformance;

[Behaviour("thread-pool-storm", "tens of thousands of thread-pool items that allocate and queue more all run once")]
internal static class PoolStorm
{
    public static void Run(TextWriter output)
    {
        int roots = Work.Scaled(4000, 200), done = 0;
        const int Children = 4;
        int expected = roots * (1 + Children);
        using ManualResetEventSlim finished = new();
        for (int i = 0; i < roots; i++)
        {
            object state = new int[] { i };
            ThreadPool.UnsafeQueueUserWorkItem(Item, state, preferLocal: i % 2 == 0);
            if (i % 500 == 0)
                Heap.Turn();
        }
        for (int i = 0; i < 2000 && !finished.Wait(10); i++)
            Heap.Turn();
        Expect.Equal(expected, Volatile.Read(ref done));
        output.WriteLine($"{done} items");

        void Item(object state)
        {
            int number = ((int[])state)[0];
            byte[] bytes = new byte[number % 1000];
            for (int child = 0; child < Children; child++)
                ThreadPool.UnsafeQueueUserWorkItem(static s => s.Run(), new Child([number, child], bytes, () =>
                {
                    if (Interlocked.Increment(ref done) == expected)
                        finished.Set();
                }), preferLocal: true);
            if (Interlocked.Increment(ref done) == expected)
                finished.Set();
        }
    }

    private sealed record Child(int[] Numbers, byte[] Bytes, Action Done)
    {
        public void Run()
        {
            if (Bytes.Length == Numbers[0] % 1000)
                Done();
        }
    }
}
