// The typed handles of .NET 10: GCHandle<T>.
// Rule: like a normal GCHandle, with a typed target; default is not allocated; conversion to and from a number.
// It is a bare pointer to the slot: code reads the target without any call into the runtime.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-typed-strong", "GCHandle<T>: target, replacement, IntPtr round trip, disposal")]
internal static class TypedHandles
{
    private sealed class Item(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(GCHandle<Item>[] handles, WeakReference[] weak)
    {
        for (int i = 0; i < handles.Length; i++)
        {
            handles[i] = new GCHandle<Item>(new Item(i));
            weak[i] = new WeakReference(handles[i].Target);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Holds(GCHandle<Item> handle, int i)
    {
        nint number = GCHandle<Item>.ToIntPtr(handle);
        return handle.Target.Number == i && GCHandle<Item>.FromIntPtr(number).Equals(handle) && GCHandle<Item>.FromIntPtr(number).Target == handle.Target;
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(400, 40);
        GCHandle<Item>[] handles = new GCHandle<Item>[count];
        WeakReference[] weak = new WeakReference[count];
        Make(handles, weak);
        Expect.That(!default(GCHandle<Item>).IsAllocated, "a default handle is not allocated");
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                Expect.That(Holds(handles[i], i), $"handle {i}");
        }
        Heap.Apart(() =>
        {
            for (int i = 0; i < count; i++)
                if (i % 2 == 0)
                    handles[i].Dispose();
                else
                    handles[i].Target = new Item(-i);
        });
        Expect.That(Heap.Until(() => Array.TrueForAll(weak, static w => !w.IsAlive)), "disposed and replaced targets die");
        for (int i = 0; i < count; i++)
        {
            Expect.Equal(i % 2 == 1, handles[i].IsAllocated);
            if (handles[i].IsAllocated)
                Expect.Equal(-i, handles[i].Target.Number);
            handles[i].Dispose();
        }
        output.WriteLine($"{count} typed handles");
    }
}
