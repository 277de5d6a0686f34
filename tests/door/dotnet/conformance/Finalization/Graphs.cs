// Finalizable objects that refer to each other: trees, cycles, shared leaves. Each finalizer sees all others intact.
// Rule: everything reachable from an object to be finalized is kept until its finalizer has run.
// All of one graph are found in one collection; none may be freed or left unmoved because another was handled first.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-graphs", "finalizers of trees and cycles of finalizable objects find every object they refer to intact")]
internal static class Graphs
{
    private static int s_runs, s_wrong;

    private sealed class Vertex
    {
        public int Number;
        public Vertex? Left, Right, Parent;
        public string Text = "";
        public int[] Leaf = [];

        ~Vertex()
        {
            bool right = Text == $"vertex {Number}" && Leaf[0] == 7
                && (Left == null || (Left.Text == $"vertex {Left.Number}" && Left.Parent == this))
                && (Right == null || (Right.Text == $"vertex {Right.Number}" && Right.Parent == this));
            int steps = 0;
            for (Vertex? up = this; up != null && steps < 100; up = up.Parent)
            {
                right &= up.Text == $"vertex {up.Number}" && ReferenceEquals(up.Leaf, Leaf);
                steps++;
            }
            if (!right)
                Interlocked.Increment(ref s_wrong);
            Interlocked.Increment(ref s_runs);
        }
    }

    private static Vertex Tree(int depth, int number, Vertex? parent, int[] leaf)
    {
        Vertex vertex = new() { Number = number, Text = $"vertex {number}", Parent = parent, Leaf = leaf };
        if (depth > 0)
        {
            vertex.Left = Tree(depth - 1, number * 2, vertex, leaf);
            vertex.Right = Tree(depth - 1, number * 2 + 1, vertex, leaf);
        }
        return vertex;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Make(int trees)
    {
        for (int i = 0; i < trees; i++)
        {
            Vertex root = Tree(6, 1, null, [7]);
            // The root gets a descendant as its parent: every vertex of the tree is on or above a cycle.
            if (i % 2 == 0)
                root.Parent = root.Left!.Left!.Left;
            if (i % 3 == 0)
                Heap.Turn();
        }
        return trees * 127;
    }

    public static void Run(TextWriter output)
    {
        s_runs = s_wrong = 0;
        int expected = Make(Work.Scaled(60, 6));
        Expect.That(Heap.Until(() => Volatile.Read(ref s_runs) == expected), "all are finalized");
        Expect.Equal(0, s_wrong, "finalizers that found something broken");
        output.WriteLine($"{expected} vertices");
    }
}
