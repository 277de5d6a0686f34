// GC.KeepAlive: an object is not found unreachable before the call that mentions it.
// Rule: up to KeepAlive the object counts as used; without it, optimised code may let it die after its last use.
// Only the first half is a promise, and the one that native interop is built on.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-keep-alive", "GC.KeepAlive keeps an object from being finalized before it, on every path")]
internal static class KeepAlives
{
    private static int s_finalized;

    private sealed class Resource { ~Resource() => Interlocked.Increment(ref s_finalized); public int Use() => 1; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Once(bool early)
    {
        Resource resource = new();
        WeakReference weak = new(resource);
        int used = resource.Use();
        for (int i = 0; i < 4; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            if (early && i == 2)
            {
                bool alive = weak.IsAlive;
                GC.KeepAlive(resource);
                return alive ? used : -1;
            }
        }
        used = weak.IsAlive ? used : -1;
        GC.KeepAlive(resource);
        return used;
    }

    public static void Run(TextWriter output)
    {
        s_finalized = 0;
        int sum = 0;
        for (int i = 0; i < 60; i++)
        {
            sum += Once(i % 2 == 0);
            Expect.That(Volatile.Read(ref s_finalized) <= i + 1, "no more finalizers than objects");
        }
        Expect.That(Heap.Until(static () => Volatile.Read(ref s_finalized) == 60), "all are finalized in the end");
        GC.KeepAlive(null);
        output.WriteLine(sum);
    }
}
