// Every object with a finalizer that becomes unreachable is finalized exactly once, in whatever order.
// Rule: one finalizer run per object, after it became unreachable, before its memory is used again.
// Lost in the queue: never finalized. Queued twice, once per copy of the object: finalized twice.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-counts", "each of thousands of unreachable objects is finalized exactly once, reachable ones never")]
internal static class Counts
{
    private static readonly int[] s_runs = new int[20_000];

    private sealed class Finalized(int number)
    {
        private readonly int[] _own = [number];
        ~Finalized() => Interlocked.Increment(ref s_runs[_own[0]]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<object> Make(int count)
    {
        List<object> kept = [];
        for (int i = 0; i < count; i++)
        {
            object made = new Finalized(i);
            if (i % 4 == 0)
                kept.Add(made);
            if (i % 2000 == 0)
                Heap.Turn();
        }
        return kept;
    }

    private static int Runs(int from, int step, int count)
    {
        int runs = 0;
        for (int i = from; i < count; i += step)
            runs += Volatile.Read(ref s_runs[i]);
        return runs;
    }

    public static void Run(TextWriter output)
    {
        Array.Clear(s_runs);
        int count = Work.Scaled(s_runs.Length, 400) / 4 * 4;
        List<object> kept = Make(count);
        Expect.That(Heap.Until(() => Runs(1, 4, count) + Runs(2, 4, count) + Runs(3, 4, count) == count / 4 * 3), "all unreachable objects are finalized");
        Expect.Equal(0, Runs(0, 4, count), "reachable objects that were finalized");
        for (int i = 0; i < count; i++)
            Expect.That(s_runs[i] == (i % 4 == 0 ? 0 : 1), $"object {i} is finalized {s_runs[i]} times");
        GC.KeepAlive(kept);
        kept.Clear();
        kept.TrimExcess();
        Expect.That(Heap.Until(() => Runs(0, 4, count) == count / 4), "the kept ones too when dropped");
        Heap.Settle();
        Expect.Equal(count, Runs(0, 1, count), "finalizer runs in all");
        output.WriteLine($"{count} finalized once");
    }
}
