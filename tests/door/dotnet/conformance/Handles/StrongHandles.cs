// Normal GCHandles: the only root of their target; target replaced; handle to null; freed twice; default handle.
// Rule: a strong handle is a root whose slot follows the object.
// Slots are written by the program and by the collector; a freed slot may be in use again at once.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-strong", "GCHandleType.Normal keeps, follows, replaces and releases its target")]
internal static class StrongHandles
{
    private sealed class Item(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (GCHandle Handle, WeakReference Weak) Make(int number)
    {
        Item item = new(number);
        return (GCHandle.Alloc(item), new WeakReference(item));
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(500, 50);
        (GCHandle Handle, WeakReference Weak)[] all = new (GCHandle, WeakReference)[count];
        for (int i = 0; i < count; i++)
            all[i] = Make(i);
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                Expect.That(Holds(all[i].Handle, i) && SameTarget(all[i].Weak, all[i].Handle), $"target {i}");
        }
        // A replaced target dies, the new one lives.
        for (int i = 0; i < count; i += 2)
            Replace(ref all[i].Handle, i);
        Expect.That(Heap.Until(() => CountAlive(all, 0) == 0), "replaced targets die");
        Expect.Equal(count / 2, CountAlive(all, 1), "kept targets");
        for (int i = 0; i < count; i++)
        {
            Expect.That(Holds(all[i].Handle, i % 2 == 0 ? -i : i), $"target {i} after replacing");
            all[i].Handle.Free();
        }
        Expect.That(Heap.Until(() => CountAlive(all, 1) == 0), "freed handles keep nothing");
        GCHandle none = GCHandle.Alloc(null);
        Heap.Full();
        Expect.That(none.IsAllocated && none.Target == null, "a handle to nothing");
        none.Target = new Item(1);
        Heap.Young();
        Expect.Equal(1, ((Item)none.Target!).Number);
        none.Free();
        Expect.That(!none.IsAllocated, "freed");
        Expect.Throws<InvalidOperationException>(() => none.Free(), "Free of a freed handle");
        output.WriteLine($"{count} handles");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Holds(GCHandle handle, int number) => ((Item)handle.Target!).Number == number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool SameTarget(WeakReference weak, GCHandle handle) => ReferenceEquals(weak.Target, handle.Target);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replace(ref GCHandle handle, int i) => handle.Target = new Item(-i);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountAlive((GCHandle Handle, WeakReference Weak)[] all, int parity)
    {
        int alive = 0;
        for (int i = parity; i < all.Length; i += 2)
            alive += all[i].Weak.IsAlive ? 1 : 0;
        return alive;
    }
}
