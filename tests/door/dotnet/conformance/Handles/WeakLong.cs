// Short and long weak handles on objects that are resurrected by their finalizers.
// Rule: a short handle is cleared when the object becomes unreachable, before its finalizer runs; a long one keeps the object's
// address while it is being finalized or is resurrected, and is cleared when it is really gone.
// The two kinds are processed in different phases of one collection, around the finalization scan.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-weak-long", "short weak handles are cleared before finalization, long ones follow the resurrected object")]
internal static class WeakLong
{
    private sealed class Phoenix(int number)
    {
        public static readonly List<Phoenix> Risen = [];
        public readonly int Number = number;
        public readonly int[] Own = [number];
        ~Phoenix() { lock (Risen) Risen.Add(this); }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(GCHandle[] shorts, GCHandle[] longs, WeakReference[] weak, WeakReference[] tracking)
    {
        for (int i = 0; i < shorts.Length; i++)
        {
            Phoenix phoenix = new(i);
            shorts[i] = GCHandle.Alloc(phoenix, GCHandleType.Weak);
            longs[i] = GCHandle.Alloc(phoenix, GCHandleType.WeakTrackResurrection);
            weak[i] = new WeakReference(phoenix, trackResurrection: false);
            tracking[i] = new WeakReference(phoenix, trackResurrection: true);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Count(Predicate<int> condition, int count)
    {
        int n = 0;
        for (int i = 0; i < count; i++)
            n += condition(i) ? 1 : 0;
        return n;
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(300, 30);
        GCHandle[] shorts = new GCHandle[count], longs = new GCHandle[count];
        WeakReference[] weak = new WeakReference[count], tracking = new WeakReference[count];
        Phoenix.Risen.Clear();
        Make(shorts, longs, weak, tracking);
        Expect.That(Heap.Until(static () => Phoenix.Risen.Count > 0) && Heap.Until(() => Phoenix.Risen.Count == count), "all were finalized");
        Heap.Settle();
        Expect.Equal(0, Count(i => shorts[i].Target != null || weak[i].IsAlive, count), "short handles that still see a resurrected object");
        Heap.Apart(() =>
        {
            foreach (Phoenix phoenix in Phoenix.Risen)
            {
                Expect.Same(phoenix, longs[phoenix.Number].Target);
                Expect.Same(phoenix, tracking[phoenix.Number].Target);
                Expect.Equal(phoenix.Number, phoenix.Own[0]);
            }
        });
        Expect.That(tracking[0].TrackResurrection && !weak[0].TrackResurrection, "TrackResurrection");
        Forget();
        Expect.That(Heap.Until(() => Count(i => longs[i].Target != null || tracking[i].IsAlive, count) == 0), "long handles are cleared in the end");
        for (int i = 0; i < count; i++)
        {
            shorts[i].Free();
            longs[i].Free();
        }
        output.WriteLine($"{count} resurrected");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget()
    {
        lock (Phoenix.Risen)
        {
            Phoenix.Risen.Clear();
            Phoenix.Risen.TrimExcess();
        }
    }
}
