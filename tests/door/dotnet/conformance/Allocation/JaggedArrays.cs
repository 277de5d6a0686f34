// Arrays of arrays of arrays, rows replaced at random while collections run.
// Rule: a reference array's every element is a slot, and covariance keeps the element type right.
// Rows are allocated young inside old outer arrays; a missed slot leaves a dangling row.

namespace Garner.Conformance;

[Behaviour("alloc-arrays-jagged", "jagged arrays keep rows that are replaced between collections")]
internal static class JaggedArrays
{
    public static void Run(TextWriter output)
    {
        const int Outer = 40, Inner = 30;
        int[][][] cube = new int[Outer][][];
        int[,] version = new int[Outer, Inner];
        for (int i = 0; i < Outer; i++)
        {
            cube[i] = new int[Inner][];
            for (int j = 0; j < Inner; j++)
                cube[i][j] = Row(i, j, 0);
        }
        Dice dice = new(42);
        int rounds = Work.Scaled(60, 6);
        for (int round = 1; round <= rounds; round++)
        {
            for (int k = 0; k < 200; k++)
            {
                int i = dice.Below(Outer), j = dice.Below(Inner);
                if (dice.Below(10) == 0)
                    cube[i] = (int[][])cube[i].Clone();
                cube[i][j] = Row(i, j, round);
                version[i, j] = round;
            }
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < Outer; i++)
                for (int j = 0; j < Inner; j++)
                    Expect.That(cube[i][j].AsSpan().SequenceEqual(Row(i, j, version[i, j])), $"row {i},{j} in round {round}");
        }
        output.WriteLine($"{Outer} x {Inner} rows");

        static int[] Row(int i, int j, int version)
        {
            int[] row = new int[(i + j + version) % 50];
            for (int k = 0; k < row.Length; k++)
                row[k] = i * 1_000_000 + j * 1000 + version + k;
            return row;
        }
    }
}
