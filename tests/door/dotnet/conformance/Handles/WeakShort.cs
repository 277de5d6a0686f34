// Short weak handles (GCHandleType.Weak, WeakReference without resurrection tracking) on objects without finalizers.
// Rule: they do not keep the target; while it lives they follow it; after a collection that found it dead they hold null.
// Cleared too late, the program gets a dangling object; cleared too early, caches lose live ones.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-weak-short", "weak handles follow live targets and hold null for dead ones, for small, large, pinned and string targets")]
internal static class WeakShort
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object New(int i) => (i % 5) switch
    {
        0 => new int[] { i },
        1 => i.ToString() + "text",
        2 => new byte[100_000],
        3 => GC.AllocateArray<byte>(50, pinned: true),
        _ => (object)i,
    };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(GCHandle[] handles, WeakReference[] classes, object?[] kept)
    {
        for (int i = 0; i < handles.Length; i++)
        {
            object target = New(i);
            handles[i] = GCHandle.Alloc(target, GCHandleType.Weak);
            classes[i] = new WeakReference(target);
            if (i % 3 == 0)
                kept[i] = target;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountWrong(GCHandle[] handles, WeakReference[] classes, object?[] kept)
    {
        int wrong = 0;
        for (int i = 0; i < handles.Length; i++)
            if (handles[i].Target != kept[i] || classes[i].Target != kept[i] || classes[i].IsAlive != (kept[i] != null))
                wrong++;
        return wrong;
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(600, 60);
        GCHandle[] handles = new GCHandle[count];
        WeakReference[] classes = new WeakReference[count];
        object?[] kept = new object?[count];
        Make(handles, classes, kept);
        Expect.That(Heap.Until(() => CountWrong(handles, classes, kept) == 0), "targets not kept are gone, all others are there");
        for (int round = 0; round < 5; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            Expect.Equal(0, CountWrong(handles, classes, kept), $"wrong handles in round {round}");
        }
        Array.Clear(kept);
        Expect.That(Heap.Until(() => CountWrong(handles, classes, kept) == 0), "then those are gone too");
        foreach (GCHandle handle in handles)
            handle.Free();
        output.WriteLine($"{count} weak handles");
    }
}
