// WeakGCHandle<T> of .NET 10, with and without resurrection tracking.
// Rule: as GCHandleType.Weak and WeakTrackResurrection, with TryGetTarget and SetTarget.
// Its TryGetTarget reads the slot directly and must never see a dead object.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-typed-weak", "WeakGCHandle<T>: TryGetTarget, SetTarget, resurrection tracking, disposal")]
internal static class TypedWeakHandles
{
    private sealed class Riser(int number)
    {
        public static readonly List<Riser> Risen = [];
        public readonly int Number = number;
        ~Riser() { lock (Risen) Risen.Add(this); }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(WeakGCHandle<Riser>[] plain, WeakGCHandle<Riser>[] tracking)
    {
        for (int i = 0; i < plain.Length; i++)
        {
            Riser riser = new(i);
            plain[i] = new WeakGCHandle<Riser>(riser);
            tracking[i] = new WeakGCHandle<Riser>(riser, trackResurrection: true);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Holds(WeakGCHandle<string> handle, string[] kept, int i) => handle.TryGetTarget(out string? s) && ReferenceEquals(s, kept[i]);

    public static void Run(TextWriter output)
    {
        Riser.Risen.Clear();
        int count = Work.Scaled(200, 20);
        WeakGCHandle<Riser>[] plain = new WeakGCHandle<Riser>[count], tracking = new WeakGCHandle<Riser>[count];
        Make(plain, tracking);
        Expect.That(Heap.Until(() => Riser.Risen.Count == count), "all are finalized");
        Heap.Full();
        foreach (Riser riser in Riser.Risen)
        {
            Expect.That(!plain[riser.Number].TryGetTarget(out _), "a plain weak handle is cleared");
            Expect.That(tracking[riser.Number].TryGetTarget(out Riser? target) && target == riser, "a tracking one follows");
        }
        // Both kinds follow a new target.
        string[] kept = new string[count];
        WeakGCHandle<string>[] strings = new WeakGCHandle<string>[count];
        Heap.Apart(() =>
        {
            for (int i = 0; i < count; i++)
            {
                strings[i] = new WeakGCHandle<string>("unset");
                kept[i] = i.ToString() + "!";
                strings[i].SetTarget(kept[i]);
            }
        });
        for (int round = 0; round < 5; round++)
        {
            Heap.Churn(32);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                Expect.That(Holds(strings[i], kept, i), $"string {i}");
        }
        Array.Clear(kept);
        Expect.That(Heap.Until(() => Array.TrueForAll(strings, static h => !h.TryGetTarget(out _))), "dropped strings are gone");
        for (int i = 0; i < count; i++)
        {
            plain[i].Dispose();
            tracking[i].Dispose();
            strings[i].Dispose();
            Expect.That(!plain[i].IsAllocated, "disposed");
        }
        Riser.Risen.Clear();
        output.WriteLine($"{count} typed weak handles");
    }
}
