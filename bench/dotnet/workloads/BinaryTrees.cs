// binary-trees: complete binary trees of many depths, built and dropped one after another beside one that lives throughout (after the program of
// the same name in the Computer Language Benchmarks Game).
//
// It stresses the allocation path, the young collection with few survivors, and parallel tracing of a bushy graph: no arrays, no roots to
// speak of, nothing but small objects with two references.
//
// One operation is one tree: built, walked and dropped. Every node carries a number that its place in the tree prescribes, so a node that is lost,
// moved wrongly or overwritten is noticed in the walk.

namespace Garner.Bench;

internal sealed class BinaryTrees : Workload
{
    private const int MinDepth = 4;

    public override string Name => "binary-trees";

    public override string Stresses => "allocation of small objects, young collections with few survivors, tracing of bushy graphs";

    public override Parameter[] Parameters =>
    [
        new("depth", 18, MinDepth + 2, 28, "depth of the deepest tree; each step doubles the work and the memory"),
        new("rounds", 5, 1, 100_000, "times the series of depths is run"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int maxDepth = parameters.Int("depth"), rounds = parameters.Int("rounds"), threads = parameters.Threads;
        uint salt = (uint)Prng.Mix(parameters.Seed);
        Digest digest = default;
        digest.Add(Node.Build(maxDepth + 1, 1, salt).Walk(1, salt));

        Node longLived = Node.Build(maxDepth, 1, salt);
        Grown grown = Grown.Together(Crew.Run(threads, t => Work(t, threads, rounds, maxDepth, salt)));

        digest.Add(longLived.Walk(1, salt));
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
                int iterations = 1 << (maxDepth - depth + MinDepth);
                for (int i = thread; i < iterations; i += threads)
                {
                    uint treeSalt = (uint)Prng.Mix(salt + ((ulong)round << 32) + (ulong)i);
                    sum += Prng.Mix(Node.Build(depth, 1, treeSalt).Walk(1, treeSalt));
                    trees++;
                    time = latencies.Since(time);
                }
            }
        }
        return new Grown(latencies, sum, trees);
    }

    private sealed class Node(Node? left, Node? right, uint value)
    {
        // `place` numbers the nodes as a heap does: the children of p are 2p and 2p+1.
        public static Node Build(int depth, uint place, uint salt) => depth == 0
            ? new Node(null, null, place * 2654435761 ^ salt)
            : new Node(Build(depth - 1, 2 * place, salt), Build(depth - 1, 2 * place + 1, salt), place * 2654435761 ^ salt);

        public ulong Walk(uint place, uint salt)
        {
            Check.That(value == (place * 2654435761 ^ salt), "a tree node does not hold its number");
            Check.That(left == null == (right == null), "a tree node has lost a child");
            return left == null ? value : value + 3 * left.Walk(2 * place, salt) + 5 * right!.Walk(2 * place + 1, salt);
        }
    }
}
