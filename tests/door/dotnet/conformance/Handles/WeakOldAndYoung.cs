// Weak handles whose targets are old, young, and change age; and old weak references to young objects.
// Rule: a young collection clears handles of dead young targets only; an old target counts as alive until a collection of its
// generation.
// Handles sorted by age must follow their target's age, or a young collection misses one.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("handle-weak-old-young", "weak references from old to young and young to old targets through promotions")]
internal static class WeakOldAndYoung
{
    private sealed class Item(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(1000, 100);
        Item[] old = new Item[count];
        for (int i = 0; i < count; i++)
            old[i] = new Item(i);
        Heap.Age(old[^1]);
        WeakReference<Item>[] oldWeak = new WeakReference<Item>[count];
        for (int i = 0; i < count; i++)
            oldWeak[i] = new WeakReference<Item>(old[i]);
        Heap.Age(oldWeak[^1]);
        for (int round = 0; round < 12; round++)
        {
            Item[] young = new Item[count];
            WeakReference<Item>[] youngWeak = new WeakReference<Item>[count];
            for (int i = 0; i < count; i++)
            {
                young[i] = new Item(round * count + i);
                youngWeak[i] = new WeakReference<Item>(i % 2 == 0 ? old[i] : young[i]);
                if (i % 3 == 0)
                    oldWeak[i].SetTarget(young[i]);
            }
            for (int k = 0; k < 4; k++)
            {
                Heap.Young();
                for (int i = 0; i < count; i++)
                {
                    Expect.That(Target(oldWeak[i]) == (i % 3 == 0 ? young[i] : old[i]), $"old weak {i}");
                    Expect.That(Target(youngWeak[i]) == (i % 2 == 0 ? old[i] : young[i]), $"young weak {i}");
                }
            }
            GC.KeepAlive(young);
            for (int i = 0; i < count; i += 3)
                oldWeak[i].SetTarget(old[i]);
        }
        output.WriteLine("targets of all ages");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Item? Target(WeakReference<Item> weak) => weak.TryGetTarget(out Item? target) ? target : null;
}
