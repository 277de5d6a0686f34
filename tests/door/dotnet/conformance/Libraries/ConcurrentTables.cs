// ConcurrentDictionary, ConcurrentQueue, ConcurrentStack and ConcurrentBag under stress from many threads.
// Rule: nothing is lost, nothing appears twice.
// Nodes are published by atomic stores of fresh references into old tables while others read them.

using System.Collections.Concurrent;

namespace Garner.Conformance;

[Behaviour("lib-concurrent-collections", "concurrent dictionary, queue, stack and bag lose and double nothing during collections")]
internal static class ConcurrentTables
{
    public static void Run(TextWriter output)
    {
        const int Threads = 6;
        int each = Work.Scaled(12_000, 600);
        ConcurrentDictionary<string, int[]> table = new();
        ConcurrentQueue<string> queue = new();
        ConcurrentStack<string> stack = new();
        ConcurrentBag<string> bag = [];
        int taken = 0;
        Crew.Run(Threads + 1, number =>
        {
            if (number == Threads)
            {
                for (int i = 0; i < 40; i++)
                    Heap.Turn();
                return;
            }
            for (int i = 0; i < each; i++)
            {
                string key = (i % 2000).ToString();
                table.AddOrUpdate(key, static _ => [1], static (_, old) => [old[0] + 1]);
                string unique = $"{number}.{i}";
                queue.Enqueue(unique);
                stack.Push(unique);
                bag.Add(unique);
                if (i % 3 == 0 && queue.TryDequeue(out _) && stack.TryPop(out _) && bag.TryTake(out _))
                    Interlocked.Increment(ref taken);
                if (i % 7 == 0 && table.TryGetValue(((i + 5) % 2000).ToString(), out int[]? found) && found[0] <= 0)
                    Expect.That(false, "a count");
            }
        });
        Expect.Equal(Threads * each, table.Values.Sum(static v => v[0]), "updates of the dictionary");
        Expect.Equal(Threads * each - taken, queue.Distinct().Count(), "entries of the queue");
        Expect.Equal(Threads * each - taken, stack.Distinct().Count(), "entries of the stack");
        Expect.Equal(Threads * each - taken, bag.Distinct().Count(), "entries of the bag");
        output.WriteLine($"{table.Count} keys");
    }
}
