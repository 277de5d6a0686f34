// Binary trees built bottom-up and top-down, short-lived beside a long-lived one.
// Rule: reachability only; depth and breadth of a tree do not matter.
// The classic survival pattern: half of each young space survives, dies one collection later, and promotion is constant.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-trees", "short-lived binary trees beside a long-lived one have the right number of nodes at every depth")]
internal static class Trees
{
    private sealed class Tree(Tree? left, Tree? right)
    {
        public Tree? Left = left, Right = right;
        public int Count() => 1 + (Left?.Count() ?? 0) + (Right?.Count() ?? 0);
    }

    private static Tree BottomUp(int depth) => depth == 0 ? new Tree(null, null) : new Tree(BottomUp(depth - 1), BottomUp(depth - 1));

    private static void TopDown(Tree tree, int depth)
    {
        if (depth == 0)
            return;
        tree.Left = new Tree(null, null);
        tree.Right = new Tree(null, null);
        TopDown(tree.Left, depth - 1);
        TopDown(tree.Right, depth - 1);
    }

    public static void Run(TextWriter output)
    {
        int depth = Work.Divisor > 1 ? 10 : 15;
        Tree longLived = BottomUp(depth);
        for (int d = 4; d <= depth; d += 2)
        {
            int iterations = 1 << (depth - d);
            long nodes = 0;
            for (int i = 0; i < iterations; i++)
            {
                nodes += BottomUp(d).Count();
                Tree top = new(null, null);
                TopDown(top, d);
                nodes += top.Count();
            }
            Expect.Equal(iterations * 2L * ((1 << (d + 1)) - 1), nodes, $"nodes of depth {d}");
            Heap.Turn();
        }
        Expect.Equal((1 << (depth + 1)) - 1, longLived.Count());
        output.WriteLine("trees are whole");
    }
}
