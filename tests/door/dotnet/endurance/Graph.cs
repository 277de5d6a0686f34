// A heap whose graph is known: what a recording must hold more than one of the same program without it.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Endurance;

internal static class Graph
{
    // 128 bytes with header and type word, three references; no other class of the runtime has that shape.
    private sealed class Node
    {
#pragma warning disable CS0649, CS0169, CS0414
        public Node? Next, First, None;
        public long L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11;
#pragma warning restore
    }

    private sealed class Finalizable
    {
        ~Finalizable() => Interlocked.Increment(ref s_finalized);
    }

    private static int s_finalized;
    private static readonly CountdownEvent s_built = new(1);
    private static readonly ManualResetEventSlim s_over = new();
    private static object?[]? s_keep;
    private static readonly ConditionalWeakTable<object, object> s_pairs = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Node Chain(int nodes)
    {
        Node first = new(), last = first;
        for (int i = 1; i < nodes; i++)
            last = last.Next = new Node { First = first };
        return first;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object?[] Build(int nodes, int threads, int handles)
    {
        // The empty case runs the same code: what the runtime allocates for it is in both recordings.
        object?[] keep = new object?[threads + 5 * 7];
        Thread[] crew = new Thread[threads];
        s_built.Reset(threads);
        for (int t = 0; t < threads; t++)
        {
            int number = t;
            crew[t] = new Thread(() =>
            {
                keep[number] = nodes == 0 ? null : Chain(nodes);
                s_built.Signal();
                s_over.Wait(); // threads that end take handles with them, at a time of their own
            }) { IsBackground = true };
            crew[t].Start();
        }
        s_built.Wait();
        int at = threads;
        for (int i = 0; i < handles; i++)
        {
            GCHandle.Alloc(new Node(), GCHandleType.Normal);
            GCHandle.Alloc(new byte[321], GCHandleType.Pinned);
            object kept = keep[at++] = new Node();
            GCHandle.Alloc(kept, GCHandleType.Weak);
            GCHandle.Alloc(kept, GCHandleType.WeakTrackResurrection);
            s_pairs.Add(kept, new Node());
            keep[at++] = new Finalizable();
        }
        return keep;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Waste(int megabytes)
    {
        for (long left = (long)megabytes << 20; left > 0; left -= 1024)
            GC.KeepAlive(new byte[1000]);
    }

    /// <summary>Garbage first; nodes in a chain for each thread, and `handles` handles of each kind; then collections until the end.</summary>
    public static int Run(int nodes, int threads, int handles, int garbage, string end)
    {
        Waste(garbage);
        s_keep = Build(nodes, threads, handles);
        GC.Collect(0);
        s_over.Set();
        if (end == "crash")
            Environment.FailFast("as asked");
        if (end == "exit")
            return 3;
        for (int i = 0; end == "loop"; i++)
            GC.Collect(i % 3);
        GC.KeepAlive(s_keep);
        return 0;
    }
}
