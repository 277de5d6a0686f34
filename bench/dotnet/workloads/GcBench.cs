// gcbench: the shape of the GCBench program by John Ellis, Pete Kovac and Hans Boehm: a stretch tree, a long-lived tree and a long-lived array of
// doubles, then trees of rising depth built both ways: top down (parents older than children, so references go from old to young while the tree
// is filled) and bottom up (children first).
//
// It stresses promotion of half-built trees, old-to-young stores, and full collections with a medium live set (about 25 MB at the default depth, doubling with each step).
//
// One operation is one temporary tree, built, walked and dropped. A round is the whole original program's series of depths.

namespace Garner.Bench;

internal sealed class GcBench : Workload
{
    private const int MinDepth = 4;

    public override string Name => "gcbench";

    public override string Stresses => "promotion of half-built trees, stores from old to young, a medium live set of a tree and an array";

    public override Parameter[] Parameters =>
    [
        new("rounds", 6, 1, 100_000, "times the series of depths is run"),
        new("depth", 16, MinDepth + 2, 24, "depth of the deepest temporary tree; the long-lived tree is two deeper"),
        new("array", 500_000, 1000, 500_000_000, "doubles in the long-lived array"),
        Parameter.Threads(1),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int rounds = parameters.Int("rounds"), depth = parameters.Int("depth"), threads = parameters.Threads;
        uint salt = (uint)Prng.Mix(parameters.Seed);
        Digest digest = default;
        digest.Add(Node.BottomUp(depth + 2, 1, salt).Walk(1, salt));

        Node longLived = new(1, salt);
        Node.TopDown(depth + 2, longLived, 1, salt);
        double[] array = new double[parameters.Int("array")];
        for (int i = 1; i < array.Length; i += 2) array[i] = 1.0 / (i + salt % 16);

        Grown grown = Grown.Together(Crew.Run(threads, t => Work(t, threads, rounds, depth, salt)));

        digest.Add(longLived.Walk(1, salt));
        foreach (double x in array) digest.Add(x);
        digest.Add(grown.Sum);
        return new Outcome(grown.Trees, grown.Latencies, digest.Value);
    }

    private static Grown Work(int thread, int threads, int rounds, int maxDepth, uint salt)
    {
        Latencies latencies = new();
        ulong sum = 0;
        long trees = 0;
        long time = Latencies.Now();
        for (int round = 0; round < rounds; round++)
        {
            for (int depth = MinDepth; depth <= maxDepth; depth += 2)
            {
                // As in the original: every depth allocates about as much as the stretch tree twice.
                int iterations = 2 * TreeSize(maxDepth + 2) / TreeSize(depth);
                for (int i = thread; i < 2 * iterations; i += threads)
                {
                    uint treeSalt = (uint)Prng.Mix(salt + ((ulong)round << 32) + (ulong)i);
                    Node tree;
                    if (i < iterations)
                    {
                        tree = new Node(1, treeSalt);
                        Node.TopDown(depth, tree, 1, treeSalt);
                    }
                    else
                    {
                        tree = Node.BottomUp(depth, 1, treeSalt);
                    }
                    sum += Prng.Mix(tree.Walk(1, treeSalt));
                    trees++;
                    time = latencies.Since(time);
                }
            }
        }
        return new Grown(latencies, sum, trees);
    }

    private static int TreeSize(int depth) => (1 << (depth + 1)) - 1;

    private sealed class Node(uint place, uint salt)
    {
        private Node? left, right;
        private readonly uint i = place * 2654435761, j = salt;

        public static void TopDown(int depth, Node node, uint place, uint salt)
        {
            if (depth == 0) return;
            node.left = new Node(2 * place, salt);
            node.right = new Node(2 * place + 1, salt);
            TopDown(depth - 1, node.left, 2 * place, salt);
            TopDown(depth - 1, node.right, 2 * place + 1, salt);
        }

        public static Node BottomUp(int depth, uint place, uint salt)
        {
            if (depth == 0) return new Node(place, salt);
            Node left = BottomUp(depth - 1, 2 * place, salt);
            Node right = BottomUp(depth - 1, 2 * place + 1, salt);
            return new Node(place, salt) { left = left, right = right };
        }

        public ulong Walk(uint place, uint salt)
        {
            Check.That(i == place * 2654435761 && j == salt, "a tree node does not hold its numbers");
            Check.That(left == null == (right == null), "a tree node has lost a child");
            return left == null ? i : i + 3 * left.Walk(2 * place, salt) + 5 * right!.Walk(2 * place + 1, salt);
        }
    }
}
