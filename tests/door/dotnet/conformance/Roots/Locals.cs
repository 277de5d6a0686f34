// Objects reachable from local variables only: in registers over calls, in stack slots, as parameters, `this`, temporaries.
// Rule: the runtime reports every live local exactly, and updates it when the object moves.
// A slot that is not updated is found when the object is compared with the same object reached another way.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-locals", "objects held by locals, parameters, `this` and temporaries only are kept and updated")]
internal static class Locals
{
    private sealed class Item(int number)
    {
        public readonly int Number = number;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int ThroughThis(int depth)
        {
            Heap.Turn();
            return depth == 0 ? Number : ThroughThis(depth - 1) + 1;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int ManyLocals(int n)
    {
        Item a = new(n), b = new(n + 1), c = new(n + 2), d = new(n + 3), e = new(n + 4), f = new(n + 5), g = new(n + 6), h = new(n + 7);
        Item i = new(n + 8), j = new(n + 9), k = new(n + 10), l = new(n + 11), m = new(n + 12), o = new(n + 13), p = new(n + 14), q = new(n + 15);
        double x = n * 0.5, y = n * 0.25;
        Heap.Young();
        Heap.Churn(64);
        int sum = a.Number + b.Number + c.Number + d.Number + e.Number + f.Number + g.Number + h.Number;
        Heap.Turn();
        sum += i.Number + j.Number + k.Number + l.Number + m.Number + o.Number + p.Number + q.Number;
        Heap.Turn();
        return sum + a.Number + q.Number + (int)((x - 2 * y) * 1000);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string ManyParameters(string a, object b, int c, Item d, string e, Item f, int[] g, Item h, string i, object j)
    {
        Heap.Full();
        Heap.Churn(64);
        return $"{a} {b} {c} {d.Number} {e} {f.Number} {g[0]} {h.Number} {i} {j}";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Item Collecting(Item item)
    {
        Heap.Turn();
        return item;
    }

    public static void Run(TextWriter output)
    {
        for (int n = 0; n < 40; n++)
        {
            Expect.Equal(16 * n + 120 + n + n + 15, ManyLocals(n));
            // Temporaries live across calls of the same expression, each of which collects.
            Expect.Equal(3 * n + 3, Collecting(new Item(n)).Number + Collecting(new Item(n + 1)).Number + Collecting(new Item(n + 2)).Number);
            Expect.Equal(n + 8, new Item(n).ThroughThis(8));
        }
        output.WriteLine(ManyParameters(1.ToString(), 2.ToString(), 3, new Item(4), 5.ToString(), new Item(6), [7], new Item(8), 9.ToString(), (object)10));
    }
}
