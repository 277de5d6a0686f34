// Stores of fresh objects into fields of old objects, the only reference to them being that field.
// Rule: a young collection finds every old-to-young reference through the write barrier's cards.
// One unmarked card is a live object lost; one card cleared too early is lost a collection later.

namespace Garner.Conformance;

[Behaviour("card-field-store", "old objects' fields keep fresh objects alive over many young collections (write barrier)")]
internal static class FieldStores
{
    private sealed class Holder { public long Gap; public Item? A; public int Number; public object? B; public static Item? Static; }
    private sealed class Item(int number) { public readonly int Number = number; public Item? Next; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(4000, 400);
        Holder[] holders = new Holder[count];
        for (int i = 0; i < count; i++)
            holders[i] = new Holder { Number = i };
        Heap.Age(holders);
        Heap.Age(holders[^1]);
        int[] expected = new int[count];
        Dice dice = new(31);
        for (int round = 1; round <= 30; round++)
        {
            for (int k = 0; k < 150; k++)
            {
                int i = dice.Below(count);
                expected[i] = round * 1000 + k;
                holders[i].A = new Item(expected[i]) { Next = new Item(-expected[i]) };
                holders[i].B = expected[i].ToString();
            }
            Holder.Static = new Item(round);
            Heap.Young();
            if (round % 4 == 0)
                Heap.Churn(256);
            Expect.Equal(round, Holder.Static.Number);
            for (int i = 0; i < count; i++)
                if (expected[i] != 0)
                    Expect.That(holders[i].A!.Number == expected[i] && holders[i].A!.Next!.Number == -expected[i] && (string)holders[i].B! == expected[i].ToString(), $"holder {i} in round {round}");
            // Young collections without any store in between: survivors move on while the old object's slot is the only root.
            Heap.Young();
            Heap.Young();
        }
        output.WriteLine("every store was seen");
    }
}
