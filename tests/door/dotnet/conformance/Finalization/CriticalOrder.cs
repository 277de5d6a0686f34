// Critical finalizers run after the ordinary finalizers of objects found unreachable in the same collection.
// Rule: that order is what lets a FileStream flush before its SafeHandle closes.
// The queue of objects ready for finalization has two parts, of which the ordinary one is emptied first.

using System.Runtime.CompilerServices;
using System.Runtime.ConstrainedExecution;

namespace Garner.Conformance;

[Behaviour("fin-critical-order", "CriticalFinalizerObject finalizers run after all ordinary ones of the same collection")]
internal static class CriticalOrder
{
    private static readonly List<bool> s_log = [];
    private static object? s_hold;

    private sealed class Critical : CriticalFinalizerObject { ~Critical() { lock (s_log) s_log.Add(true); } }
    private sealed class Ordinary { ~Ordinary() { lock (s_log) s_log.Add(false); } }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        object[] all = new object[count];
        for (int i = 0; i < count; i++)
            all[i] = i % 2 == 0 ? new Critical() : new Ordinary();
        s_hold = all;
        // All in the oldest generation: they become unreachable together and are found together.
        foreach (object o in all)
            Heap.Age(o);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop() => s_hold = null;

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(400, 40);
        for (int round = 0; round < 3; round++)
        {
            s_log.Clear();
            Make(count);
            Drop();
            Expect.That(Heap.Until(() => s_log.Count == count), "all are finalized");
            int firstCritical = s_log.IndexOf(true), lastOrdinary = s_log.LastIndexOf(false);
            Expect.That(firstCritical == count / 2 && lastOrdinary == count / 2 - 1, $"ordinary before critical in round {round}");
        }
        output.WriteLine("ordinary first, critical last");
    }
}
