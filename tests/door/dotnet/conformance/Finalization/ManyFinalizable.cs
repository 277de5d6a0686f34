// Two hundred thousand finalizable objects at once, half of them dropped, then the other half.
// Rule: the queues grow as needed; old finalizable objects do not cost young collections anything that would change the result.
// Queue segments move, grow and are compacted while their entries are updated.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-many", "200,000 finalizable objects: half dropped, half kept, over young and full collections")]
internal static class ManyFinalizable
{
    private static int s_even, s_odd;

    private sealed class Finalized(int number)
    {
        public readonly int Number = number;
        ~Finalized() => Interlocked.Increment(ref Number % 2 == 0 ? ref s_even : ref s_odd);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Finalized?[] Make(int count)
    {
        Finalized?[] all = new Finalized?[count];
        for (int i = 0; i < count; i++)
            all[i] = new Finalized(i);
        return all;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropEven(Finalized?[] all)
    {
        for (int i = 0; i < all.Length; i += 2)
            all[i] = null;
    }

    public static void Run(TextWriter output)
    {
        s_even = s_odd = 0;
        int count = Work.Scaled(200_000, 4000) / 2 * 2;
        Finalized?[] all = Make(count);
        Heap.Young();
        Heap.Young();
        DropEven(all);
        Expect.That(Heap.Until(() => Volatile.Read(ref s_even) == count / 2), "the dropped half is finalized");
        Expect.Equal(0, s_odd);
        Heap.Apart(() =>
        {
            for (int i = 1; i < count; i += 2)
                if (all[i]!.Number != i)
                    Expect.That(false, $"kept object {i}");
        });
        Array.Clear(all);
        Expect.That(Heap.Until(() => Volatile.Read(ref s_odd) == count / 2), "the other half too");
        output.WriteLine($"{s_even} and {s_odd}");
    }
}
