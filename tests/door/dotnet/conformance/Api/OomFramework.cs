// Memory that ends while code of the framework is on the stack: inside StringBuilder.Append, and in four threads at once.
// Rule: the OutOfMemoryException passes through frames that are not the program's, through their filters and finally clauses, and is caught.
// Throwing needs a little memory itself (the exception, its stack trace) at the very moment when there is none.

using System.Runtime.CompilerServices;
using System.Text;

namespace Garner.Conformance;

[Behaviour("api-oom-framework", "under a 96 MB hard limit OutOfMemoryException leaves StringBuilder.Append and the bodies of four threads and is caught, three times", Settings = "DOTNET_GCHeapHardLimit=0x6000000")]
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

    // Threads of the program's own: in the pool the runtime's own threads would meet the lack of memory too, which ends any process.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Chains()
    {
        int caught = 0;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            try
            {
                Chain();
            }
            catch (OutOfMemoryException)
            {
                Interlocked.Increment(ref caught);
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        return caught > 0;
    }

    public static void Run(TextWriter output)
    {
        for (int round = 0; round < 3; round++)
            Expect.That(Append(), $"StringBuilder.Append fails and is caught in round {round}");
        Heap.Settle();
        for (int round = 0; round < 3; round++)
            Expect.That(Chains(), $"threads fail and are caught in round {round}");
        Heap.Settle();
        Expect.Equal(4_000_000, new StringBuilder().Append('y', 4_000_000).Length);
        output.WriteLine("3 rounds each");
    }
}
