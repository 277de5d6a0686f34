// A large old array of references with a single young element, the element at each position in turn.
// Rule: a dirty card leads to exactly the slots it covers, whatever the array's alignment to cards.
// Off-by-one in the card arithmetic shows at first and last slots of cards, which a random test rarely meets.

namespace Garner.Conformance;

[Behaviour("card-every-slot", "a single young reference in a large old array is found at every slot around card and page boundaries")]
internal static class SparseLargeArray
{
    private sealed class Item(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        const int Length = 70_000;
        object?[] array = new object?[Length];
        Heap.Age(array);
        int checkedSlots = 0;
        int stride = Work.Divisor > 1 ? 97 : 1;
        // 300 neighbouring slots at five places cover every position within cards of 256 and 2,048 bytes.
        foreach (int from in (int[])[0, 8191 - 150, 32_768 - 150, 65_536 - 150, Length - 300])
            for (int i = from; i < from + 300; i += stride)
            {
                array[i] = new Item(i);
                // The element is the only young object that matters in this collection.
                Heap.Young();
                if (array[i] is not Item item || item.Number != i)
                    Expect.That(false, $"slot {i}");
                array[i] = null;
                checkedSlots++;
            }
        output.WriteLine($"{checkedSlots} slots");
    }
}
