// Finalizable objects made, suppressed and re-registered by many threads while collections run.
// Rule: registration and suppression are allowed on any thread at any time.
// The registration list is shared, appended to by cooperative threads, and walked by the collector.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-threads", "registering, suppressing and re-registering from eight threads during collections loses and doubles nothing")]
internal static class ThreadedFinalizable
{
    private static int s_runs, s_suppressed;

    private sealed class Finalized(bool suppressed)
    {
        private readonly bool[] _suppressed = [suppressed];
        ~Finalized() => Interlocked.Increment(ref _suppressed[0] ? ref s_suppressed : ref s_runs);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Make(int number, int count)
    {
        int expected = 0;
        for (int i = 0; i < count; i++)
        {
            Finalized made = new(i % 3 == 0);
            if (i % 3 == 0)
                GC.SuppressFinalize(made);
            else
                expected++;
            if (i % 3 == 1)
            {
                GC.SuppressFinalize(made);
                GC.ReRegisterForFinalize(made);
            }
            if (number == 0 && i % 300 == 0)
                Heap.Turn();
        }
        return expected;
    }

    public static void Run(TextWriter output)
    {
        s_runs = s_suppressed = 0;
        int perThread = Work.Scaled(3000, 150), expected = 0;
        Crew.Run(8, number => Interlocked.Add(ref expected, Make(number, perThread)));
        Expect.That(Heap.Until(() => Volatile.Read(ref s_runs) >= expected), "all are finalized");
        Heap.Settle();
        Expect.Equal(expected, s_runs);
        Expect.Equal(0, s_suppressed);
        output.WriteLine($"{expected} finalized");
    }
}
