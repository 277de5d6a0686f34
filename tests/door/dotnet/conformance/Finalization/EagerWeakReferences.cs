// Masses of WeakReference objects that die: the runtime frees their handles during the collection ("eager finalization"), and the
// slots are used again at once by others.
// Rule: a dead WeakReference is finalized by the collector asking the runtime, without the finalizer thread.
// Handles are freed in the middle of a collection, while others are being scanned.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-eager-weakreference", "dead WeakReference objects give their handles back during collections without disturbing live ones")]
internal static class EagerWeakReferences
{
    private sealed class Item(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        Item[] targets = new Item[1000];
        for (int i = 0; i < targets.Length; i++)
            targets[i] = new Item(i);
        WeakReference<Item>[] live = new WeakReference<Item>[4000];
        Dice dice = new(23);
        int steps = Work.Scaled(200_000, 5000);
        for (int i = 0; i < steps; i++)
        {
            int target = dice.Below(targets.Length);
            live[dice.Below(live.Length)] = new WeakReference<Item>(targets[target], trackResurrection: i % 5 == 0);
            if (i % 40_000 == 20_000)
                Heap.Turn();
        }
        Heap.Full();
        for (int round = 0; round < 3; round++)
        {
            HashSet<int> seen = [];
            foreach (WeakReference<Item>? weak in live)
                if (weak != null)
                {
                    Expect.That(weak.TryGetTarget(out Item? item) && targets[item.Number] == item, "a live weak reference");
                    if (item != null)
                        seen.Add(item.Number);
                }
            Expect.That(seen.Count > Math.Min(500, steps / 20), "targets seen");
            Array.Clear(live, round * 1000, 1000);
            Heap.Turn();
        }
        GC.KeepAlive(targets);
        output.WriteLine("live ones undisturbed");
    }
}
