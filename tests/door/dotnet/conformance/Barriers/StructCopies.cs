// Copies of structs with references into fields and elements of old objects, by assignment, ref, out, in and return value.
// Rule: copying such a struct is a series of by-reference stores, each with its barrier.
// The by-ref barrier reads and advances both addresses; it is a third piece of barrier code.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("card-struct-copy", "structs with references copied into old objects by value, ref, out and return keep young targets alive")]
internal static class StructCopies
{
    private struct Small { public object? A; public int X; }
    private struct Big { public long X; public string? A; public Small B; public Guid G; public int[]? C; public Small D; }
    private sealed class Holder { public byte Odd; public Big First; public int Gap; public Big Second; public Small Third; }

    private static Big Make(int n) => new()
    {
        X = n,
        A = n.ToString(),
        B = new Small { A = new int[] { n }, X = n },
        G = new Guid(n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        C = [n, n + 1],
        D = new Small { A = (n + 1).ToString(), X = n + 1 },
    };

    private static bool Holds(in Big b, int n) =>
        b.X == n && b.A == n.ToString() && ((int[])b.B.A!)[0] == n && b.B.X == n && b.G == new Guid(n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        && b.C![1] == n + 1 && (string)b.D.A! == (n + 1).ToString() && b.D.X == n + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeOut(int n, out Big made) => made = Make(n);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Assign(ref Big to, in Big from) => to = from;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Swap(ref Big a, ref Big b) => (a, b) = (b, a);

    public static void Run(TextWriter output)
    {
        int count = 600;
        Holder[] holders = new Holder[count];
        for (int i = 0; i < count; i++)
            holders[i] = new Holder();
        Big[] array = new Big[count];
        int[] first = new int[count], second = new int[count], element = new int[count];
        for (int i = 0; i < count; i++)
        {
            holders[i].First = Make(i);
            holders[i].Second = Make(i);
            array[i] = Make(i);
            first[i] = second[i] = element[i] = i;
        }
        Heap.Age(holders[0]);
        Heap.Age(holders[^1]);
        Heap.Age(array);
        Dice dice = new(17);
        int rounds = Work.Scaled(40, 5);
        for (int round = 1; round <= rounds; round++)
        {
            for (int k = 0; k < 60; k++)
            {
                int i = dice.Below(count), n = round * 1000 + k;
                switch (k % 5)
                {
                    case 0: holders[i].First = Make(n); first[i] = n; break;
                    case 1: MakeOut(n, out holders[i].Second); second[i] = n; break;
                    case 2: Assign(ref array[i], Make(n)); element[i] = n; break;
                    case 3: array[i] = holders[i].First; element[i] = first[i]; break;
                    default: Swap(ref holders[i].First, ref holders[i].Second); (first[i], second[i]) = (second[i], first[i]); break;
                }
                holders[i].Third = holders[i].First.B;
            }
            Heap.Young();
            if (round % 5 == 0)
                Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                Expect.That(Holds(holders[i].First, first[i]), $"first of {i} in round {round}");
                Expect.That(Holds(holders[i].Second, second[i]), $"second of {i} in round {round}");
                Expect.That(Holds(array[i], element[i]), $"element {i} in round {round}");
            }
        }
        output.WriteLine("every struct copy was seen");
    }
}
