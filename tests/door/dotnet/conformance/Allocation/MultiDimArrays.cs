// Multi-dimensional arrays, of values and of references, of ranks 2 to 5 and with lower bounds other than 0.
// Rule: the bounds lie between the length and the data, so the first element is not at offset 16.
// A collector that scans reference arrays from a fixed offset takes bounds for references, or misses the last elements.

namespace Garner.Conformance;

[Behaviour("alloc-arrays-multidim", "multi-dimensional arrays (ranks 2-5, lower bounds, zero lengths) keep bounds and elements")]
internal static class MultiDimArrays
{
    private static void Verify(Array array, string what)
    {
        int[] at = new int[array.Rank];
        long number = 0;
        Walk(0);
        Expect.Equal(array.LongLength, number, $"elements of {what}");

        void Walk(int dimension)
        {
            if (dimension == array.Rank)
            {
                Expect.That(Equals(array.GetValue(at)?.ToString(), number.ToString()), $"element {number} of {what}");
                number++;
                return;
            }
            for (int i = array.GetLowerBound(dimension); i <= array.GetUpperBound(dimension); i++)
            {
                at[dimension] = i;
                Walk(dimension + 1);
            }
        }
    }

    private static Array Fill(Array array, Func<long, object> make)
    {
        int[] at = new int[array.Rank];
        long number = 0;
        Walk(0);
        return array;

        void Walk(int dimension)
        {
            if (dimension == array.Rank)
            {
                array.SetValue(make(number++), at);
                return;
            }
            for (int i = array.GetLowerBound(dimension); i <= array.GetUpperBound(dimension); i++)
            {
                at[dimension] = i;
                Walk(dimension + 1);
            }
        }
    }

    public static void Run(TextWriter output)
    {
        static object Text(long n) => n.ToString();
        List<Array> all =
        [
            Fill(new int[7, 11], static n => (int)n),
            Fill(new string[13, 5], Text),
            Fill(new object[4, 3, 5], static n => n),
            Fill(new long[3, 2, 4, 3], static n => n),
            Fill(new string[2, 3, 2, 3, 2], Text),
            Fill(new string[0, 9], Text),
            Fill(Array.CreateInstance(typeof(string), [6, 4], [-3, 100]), Text),
            Fill(Array.CreateInstance(typeof(object), [5], [7]), Text),
        ];
        (int, string)[,] pairs = new (int, string)[9, 9];
        for (int i = 0; i < 81; i++)
            pairs[i / 9, i % 9] = (i, i.ToString());

        for (int round = 0; round < 6; round++)
        {
            Heap.Turn();
            Heap.Churn(128);
            foreach (Array array in all)
                Verify(array, $"{array.GetType()} in round {round}");
            for (int i = 0; i < 81; i++)
                Expect.That(pairs[i / 9, i % 9].Item1 == i && pairs[i / 9, i % 9].Item2 == i.ToString(), $"pair {i}");
        }
        foreach (Array array in all)
            output.WriteLine($"{array.GetType()} rank {array.Rank} length {array.Length} from {array.GetLowerBound(0)}");
    }
}
