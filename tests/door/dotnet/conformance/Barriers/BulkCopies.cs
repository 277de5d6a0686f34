// Copies of ranges of references: Array.Copy, Span.CopyTo, overlapping copies both ways, Fill, Clear, Reverse, Sort, ConvertAll,
// between old and young arrays.
// Rule: bulk copies mark all covering cards of the target; slots may be written in any order.
// The bulk barrier is other code than the single one: ranges that start or end inside a card are where it goes wrong.

namespace Garner.Conformance;

[Behaviour("card-array-copy", "Array.Copy, Span.CopyTo, Fill, Clear, Reverse and Sort of references between old and young arrays")]
internal static class BulkCopies
{
    private sealed class Item(int number) : IComparable<Item>
    {
        public readonly int Number = number;
        public int CompareTo(Item? other) => Number.CompareTo(other!.Number);
    }

    public static void Run(TextWriter output)
    {
        const int Length = 5000;
        Item?[] old = new Item?[Length];
        int[] expected = new int[Length];
        Heap.Age(old);
        Dice dice = new(55);
        int serial = 1;
        int rounds = Work.Scaled(120, 12);
        for (int round = 0; round < rounds; round++)
        {
            int at = dice.Below(Length), length = dice.Below(Math.Min(300, Length - at) + 1);
            Item?[] fresh = new Item?[length];
            for (int i = 0; i < length; i++)
                fresh[i] = new Item(serial++);
            switch (round % 6)
            {
                case 0:
                    Array.Copy(fresh, 0, old, at, length);
                    for (int i = 0; i < length; i++)
                        expected[at + i] = fresh[i]!.Number;
                    break;
                case 1:
                    fresh.AsSpan().CopyTo(old.AsSpan(at));
                    for (int i = 0; i < length; i++)
                        expected[at + i] = fresh[i]!.Number;
                    break;
                case 2:
                    int to = dice.Below(Length - length + 1);
                    Array.Copy(old, at, old, to, length);
                    Array.Copy(expected, at, expected, to, length);
                    break;
                case 3:
                    Item filler = new(serial++);
                    old.AsSpan(at, length).Fill(filler);
                    expected.AsSpan(at, length).Fill(filler.Number);
                    break;
                case 4:
                    Array.Reverse(old, at, length);
                    Array.Reverse(expected, at, length);
                    break;
                default:
                    Array.Clear(old, at, length);
                    Array.Clear(expected, at, length);
                    break;
            }
            fresh = null!;
            if (round % 2 == 0)
                Heap.Young();
            else
                Heap.Turn();
            for (int i = 0; i < Length; i++)
                if ((old[i]?.Number ?? 0) != expected[i])
                    Expect.That(false, $"element {i} in round {round}");
        }
        Item[] sorted = old.Where(static x => x != null).Distinct().ToArray()!;
        Array.Reverse(sorted);
        Heap.Young();
        Array.Sort(sorted);
        Heap.Young();
        for (int i = 1; i < sorted.Length; i++)
            Expect.That(sorted[i - 1].Number < sorted[i].Number, "sorted references");
        string[] texts = Array.ConvertAll(sorted, static x => x.Number.ToString());
        Heap.Full();
        for (int i = 0; i < texts.Length; i++)
            Expect.That(texts[i] == sorted[i].Number.ToString(), "converted references");
        output.WriteLine($"{sorted.Length} distinct items left");
    }
}
