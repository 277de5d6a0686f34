// A random graph of objects of different types whose edges change all the time, compared with a shadow of plain integers after each
// collection: every edge leads to the very object it led to before.
// Rule: two references to one object are equal before and after a collection, and to no other.
// Copying one object twice, or losing an edge in a race between workers, shows up as a wrong identity.

namespace Garner.Conformance;

[Behaviour("alloc-random-graph", "a mutating random graph keeps every edge's identity over young and full collections, with a checksum")]
internal static class RandomGraph
{
    private abstract class Vertex
    {
        public int Number;
        public abstract int Degree { get; }
        public abstract Vertex? this[int i] { get; set; }
    }

    private sealed class Two : Vertex
    {
        private Vertex? _a, _b;
        public override int Degree => 2;
        public override Vertex? this[int i] { get => i == 0 ? _a : _b; set { if (i == 0) _a = value; else _b = value; } }
    }

    private sealed class Many(int degree) : Vertex
    {
        private readonly Vertex?[] _edges = new Vertex?[degree];
        public override int Degree => _edges.Length;
        public override Vertex? this[int i] { get => _edges[i]; set => _edges[i] = value; }
    }

    private sealed class Weighted(int degree) : Vertex
    {
        private readonly (double Weight, Vertex? To)[] _edges = new (double, Vertex?)[degree];
        public override int Degree => _edges.Length;
        public override Vertex? this[int i] { get => _edges[i].To; set => _edges[i] = (i, value); }
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(8000, 500);
        Vertex[] vertices = new Vertex[count];
        int[][] shadow = new int[count][];
        Dice dice = new(2024);
        for (int i = 0; i < count; i++)
            Replace(i);
        ulong sum = 0;
        int rounds = Work.Scaled(30, 5);
        for (int round = 0; round < rounds; round++)
        {
            for (int k = 0; k < count / 4; k++)
            {
                int from = dice.Below(count);
                if (dice.Below(20) == 0)
                    Replace(from);
                else
                    Link(from, dice.Below(vertices[from].Degree), dice.Below(count));
            }
            Heap.Churn(64);
            Heap.Turn();
            for (int from = 0; from < count; from++)
                for (int e = 0; e < shadow[from].Length; e++)
                {
                    Vertex? to = vertices[from][e];
                    if (shadow[from][e] < 0 ? to != null : to != vertices[shadow[from][e]])
                        Expect.That(false, $"edge {e} of vertex {from} in round {round}");
                    sum = Work.Mix(sum, to == null ? 0 : (ulong)to.Number);
                }
        }
        output.WriteLine($"checksum {sum:x16}");

        void Replace(int i)
        {
            Vertex fresh = dice.Below(3) switch { 0 => new Two(), 1 => new Many(1 + dice.Below(12)), _ => new Weighted(1 + dice.Below(9)) };
            fresh.Number = i;
            Vertex old = vertices[i];
            vertices[i] = fresh;
            shadow[i] = new int[fresh.Degree];
            shadow[i].AsSpan().Fill(-1);
            for (int e = 0; e < fresh.Degree; e++)
                if (dice.Below(2) == 0)
                    Link(i, e, dice.Below(count));
            // Edges to the replaced vertex follow it, so that the shadow of plain numbers stays true.
            if (old != null)
                for (int from = 0; from < count; from++)
                    if (vertices[from] != null)
                        for (int e = 0; e < shadow[from].Length; e++)
                            if (shadow[from][e] == i)
                                vertices[from][e] = fresh;
        }

        void Link(int from, int edge, int to)
        {
            if (vertices[to] == null)
                return;
            vertices[from][edge] = vertices[to];
            shadow[from][edge] = to;
        }
    }
}
