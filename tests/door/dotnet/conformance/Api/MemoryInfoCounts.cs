// GCMemoryInfo.PinnedObjectsCount and FinalizationPendingCount, with many pins and a blocked finalizer thread.
// Rule: the counts are those seen by that collection.
// A figure that is never filled in stays at zero and is noticed by nobody but this.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-memory-info-counts", "GCMemoryInfo counts pinned objects and objects waiting for their finalizer")]
internal static class MemoryInfoCounts
{
    private static readonly ManualResetEventSlim s_go = new(), s_blocked = new();
    private static int s_runs;

    private sealed class Blocking { ~Blocking() { s_blocked.Set(); s_go.Wait(); } }
    private sealed class Waiting { ~Waiting() => Interlocked.Increment(ref s_runs); }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeBlocking() => _ = new Blocking();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeWaiting(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Waiting();
    }

    public static void Run(TextWriter output)
    {
        GCHandle[] pins = new GCHandle[300];
        for (int i = 0; i < pins.Length; i++)
        {
            pins[i] = GCHandle.Alloc(new byte[100], GCHandleType.Pinned);
            Heap.Churn(4);
        }
        Heap.Full();
        Expect.That(GC.GetGCMemoryInfo(GCKind.FullBlocking).PinnedObjectsCount >= 100, "many of 300 pinned objects are counted");
        foreach (GCHandle pin in pins)
            pin.Free();

        s_runs = 0;
        s_go.Reset();
        s_blocked.Reset();
        MakeBlocking();
        Heap.Full();
        Expect.That(Heap.Wait(static () => { Heap.Full(); return s_blocked.IsSet; }), "the finalizer thread is blocked");
        MakeWaiting(500);
        Heap.Full();
        Expect.That(GC.GetGCMemoryInfo(GCKind.FullBlocking).FinalizationPendingCount >= 500, "500 objects were found ready for their finalizer");
        s_go.Set();
        Expect.That(Heap.Until(static () => Volatile.Read(ref s_runs) == 500), "then they are finalized");
        Heap.Settle();
        Expect.That(GC.GetGCMemoryInfo(GCKind.FullBlocking).FinalizationPendingCount < 500, "and are found no more");
        output.WriteLine("counted");
    }
}
