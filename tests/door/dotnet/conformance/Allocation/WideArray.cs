// One array of a million references, each to an object of its own, shuffled, thinned out and refilled.
// Rule: a large object's slots are found young by cards, all of them by a full collection.
// One object with a million slots must be split among collection workers, and each slot handled exactly once.

namespace Garner.Conformance;

[Behaviour("alloc-wide-array", "an array of 1,000,000 references keeps each target while it is shuffled and refilled")]
internal static class WideArray
{
    private sealed class Cell(int number) { public int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(1_000_000, 20_000);
        Cell?[] cells = new Cell?[count];
        for (int i = 0; i < count; i++)
            cells[i] = new Cell(i);
        Heap.Young();
        Dice dice = new(3);
        for (int i = count - 1; i > 0; i--)
        {
            int j = dice.Below(i + 1);
            (cells[i], cells[j]) = (cells[j], cells[i]);
        }
        Heap.Full();
        Verify(cells, count);
        for (int i = 0; i < count; i++)
            if (cells[i]!.Number % 3 == 0)
                cells[i] = null;
        Heap.Young();
        List<int> holes = [];
        for (int i = 0; i < count; i++)
            if (cells[i] == null)
                holes.Add(i);
        Expect.Equal((count + 2) / 3, holes.Count);
        for (int k = 0; k < holes.Count; k++)
            cells[holes[k]] = new Cell(k * 3);
        Heap.Young();
        Heap.Young();
        Verify(cells, count);
        Heap.Full();
        Verify(cells, count);
        output.WriteLine("every number once");
    }

    private static void Verify(Cell?[] cells, int count)
    {
        bool[] seen = new bool[count];
        foreach (Cell? cell in cells)
        {
            if (cell == null || cell.Number < 0 || cell.Number >= count || seen[cell.Number])
            {
                Expect.That(false, "every number once");
                return;
            }
            seen[cell.Number] = true;
        }
    }
}
