// Memory that ends while code of the framework is on the stack: inside StringBuilder.Append, and inside the bodies of tasks.
// Rule: the OutOfMemoryException passes through frames that are not the program's, through their filters and finally clauses, and is caught.
// Throwing needs a little memory itself (the exception, its stack trace, the task's record of it) at the very moment when there is none.

using System.Runtime.CompilerServices;
using System.Text;

namespace Garner.Conformance;

[Behaviour("api-oom-framework", "under a 96 MB hard limit OutOfMemoryException leaves StringBuilder.Append and the bodies of four tasks and is caught, three times", Settings = "DOTNET_GCHeapHardLimit=0x6000000")]
internal static class OomFramework
{
    // A scaled-down run has fewer, larger arrays, since the amount is given by the limit.
    private static readonly int s_slots = Work.Divisor > 1 ? 200 : 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Append()
    {
        try
        {
            StringBuilder text = new();
            for (int i = 0; i < 100_000; i++)
                text.Append(new string('x', 10_000));
            return false;
        }
        catch (OutOfMemoryException)
        {
            return true;
        }
    }

    private static void Chain()
    {
        object[] head = [];
        for (int i = 0; i < 100_000_000; i++)
        {
            object[] next = new object[s_slots];
            next[0] = head;
            head = next;
        }
        GC.KeepAlive(head);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Chains()
    {
        // Each has a thread of its own and begins when all have begun, and nothing but they allocates meanwhile. Elsewhere (the thread pool,
        // this thread) an OutOfMemoryException would be as right, and would end the program: on stock too Task.Run and WaitAll do now and then.
        using Barrier begun = new(4);
        Task[] tasks = new Task[4];
        for (int i = 0; i < tasks.Length; i++)
            tasks[i] = Task.Factory.StartNew(() => { begun.SignalAndWait(); Chain(); }, TaskCreationOptions.LongRunning);
        foreach (Task task in tasks)
            while (!task.IsCompleted)
                Thread.Sleep(1);
        try
        {
            Task.WaitAll(tasks);
            return false;
        }
        catch (AggregateException all)
        {
            foreach (Exception one in all.InnerExceptions)
                Expect.That(one is OutOfMemoryException, $"a task ended by {one.GetType().Name}");
            return all.InnerExceptions.Count > 0;
        }
    }

    public static void Run(TextWriter output)
    {
        for (int round = 0; round < 3; round++)
            Expect.That(Append(), $"StringBuilder.Append fails and is caught in round {round}");
        Heap.Settle();
        for (int round = 0; round < 3; round++)
            Expect.That(Chains(), $"tasks fail and are caught in round {round}");
        Heap.Settle();
        Expect.Equal(100_000, new StringBuilder().Append('y', 100_000).Length);
        output.WriteLine("3 rounds each");
    }
}
