// WeakReference and WeakReference<T>: SetTarget, TryGetTarget, null targets, targets replaced between generations.
// Rule: setting a new target makes the reference follow that one; the old one is forgotten.
// The handle may be grouped with old ones when a young target is stored in it.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("handle-weakreference-class", "WeakReference<T>.SetTarget/TryGetTarget and WeakReference.Target over collections")]
internal static class WeakReferenceClass
{
    private sealed class Item(int number) { public int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(400, 40);
        WeakReference<Item>[] typed = new WeakReference<Item>[count];
        WeakReference[] untyped = new WeakReference[count];
        Item?[] kept = new Item?[count];
        for (int i = 0; i < count; i++)
        {
            typed[i] = new WeakReference<Item>(null!);
            untyped[i] = new WeakReference(null);
        }
        Heap.Age(typed[0]);
        Heap.Age(untyped);
        Dice dice = new(12);
        for (int round = 0; round < 20; round++)
        {
            Change(typed, untyped, kept, ref dice);
            if (round % 2 == 0)
                Heap.Young();
            else
                Heap.Turn();
            for (int i = 0; i < count; i++)
                if (kept[i] != null)
                    Expect.That(Right(typed[i], untyped[i], kept[i]!), $"target {i} in round {round}");
        }
        Expect.That(Heap.Until(() => CountWrong(typed, untyped, kept) == 0), "others are gone");
        Expect.That(!new WeakReference<string>(null!).TryGetTarget(out _), "a null target");
        output.WriteLine($"{count} weak references");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Change(WeakReference<Item>[] typed, WeakReference[] untyped, Item?[] kept, ref Dice dice)
    {
        for (int k = 0; k < typed.Length / 4; k++)
        {
            int i = dice.Below(typed.Length);
            Item item = new(i);
            typed[i].SetTarget(item);
            untyped[i].Target = item;
            kept[i] = dice.Below(2) == 0 ? item : null;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Right(WeakReference<Item> typed, WeakReference untyped, Item kept) =>
        typed.TryGetTarget(out Item? target) && target == kept && untyped.Target == kept;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountWrong(WeakReference<Item>[] typed, WeakReference[] untyped, Item?[] kept)
    {
        int wrong = 0;
        for (int i = 0; i < typed.Length; i++)
            if ((typed[i].TryGetTarget(out Item? target) ? target : null) != kept[i] || untyped[i].Target != kept[i])
                wrong++;
        return wrong;
    }
}
