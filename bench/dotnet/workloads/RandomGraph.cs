// random-graph: nodes of 48 bytes linked at random over the whole set, a share of them dropped, then full collections of both kinds: without and
// with compaction asked for.
//
// It stresses the full collection by itself: tracing without any locality, garbage strewn evenly between what lives, and, when compacting, references
// all over the heap to everything that moves. Between two collections some edges change and some nodes are replaced by new ones.
//
// One operation is one full collection. The line's `figures` have how long each stopped the program. Which object refers to which is also kept in plain
// arrays of numbers; at the end both are walked from the roots and must reach the same. Each node's edges are drawn from its lane's random numbers.

namespace Garner.Bench;

internal sealed class RandomGraph : Workload
{
    public override string Name => "random-graph";

    public override string Stresses => "full collections, with and without compaction, of small nodes linked at random over the whole set";

    public override Parameter[] Parameters =>
    [
        new("nodes", 8_000_000, LaneCount, 500_000_000, "nodes made at first, of 48 bytes"),
        new("dropped", 70, 0, 99, "per cent of the roots that are dropped before the first collection; what other nodes refer to stays"),
        new("changed", 1, 0, 50, "per cent of as many nodes that are replaced, and of edges that are changed, before each collection"),
        new("rounds", 5, 1, 1000, "collections of each kind"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int count = parameters.Int("nodes"), rounds = parameters.Int("rounds"), threads = parameters.Threads;
        long changes = (long)count * parameters.Int("changed") / 100;
        if (count + changes * 2 * rounds > Array.MaxLength) throw new UsageError($"{Name}: nodes, changed and rounds ask for more nodes than an array can count");
        Graph graph = new(parameters.Seed, count, (int)(count + changes * 2 * rounds), threads);
        graph.Drop(parameters.Int("dropped"));

        Latencies latencies = new();
        double[] sweeping = new double[rounds], compacting = new double[rounds];
        for (int round = 0; round < rounds; round++)
        {
            graph.Change(changes);
            sweeping[round] = Collect(compact: false, latencies);
            graph.Change(changes);
            compacting[round] = Collect(compact: true, latencies);
        }

        ulong checksum = graph.Verify(out int live);
        string figures = $"\"live_objects\":{live},\"sweeping_ms\":{Of(sweeping)},\"compacting_ms\":{Of(compacting)}";
        return new Outcome(2 * rounds, latencies, checksum, figures);
    }

    private static string Of(double[] pauses) => $"{{\"median\":{Figures.Milliseconds(Figures.Median(pauses))},\"all\":{Figures.Milliseconds(pauses)}}}";

    private static double Collect(bool compact, Latencies latencies)
    {
        TimeSpan before = GC.GetTotalPauseDuration();
        long start = Latencies.Now();
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: compact);
        latencies.Since(start);
        return (GC.GetTotalPauseDuration() - before).TotalMilliseconds;
    }

    // 48 bytes with the object's header.
    private sealed class Node(int number)
    {
        public Node? Left, Right;
        public readonly long Number = number;
        public readonly ulong Mark = Prng.Mix((ulong)number);
    }

    private sealed class Graph
    {
        private readonly ulong seed;
        // Every node is here at first. A root may be null; the first never is, so that there is always one to be found.
        private readonly Node?[] roots;
        // The numbers of what the roots and each node's edges refer to; -1: nothing.
        private readonly int[] rooted, left, right;
        private Prng prng;
        private int made;

        public Graph(ulong seed, int count, int capacity, int threads)
        {
            this.seed = seed;
            prng = new Prng(seed, LaneCount);
            roots = new Node?[count];
            rooted = new int[count];
            left = new int[capacity];
            right = new int[capacity];
            made = count;
            Crew.Run(threads, t => InLanes(t, threads, (ref Prng _, int i) => roots[i] = new Node(rooted[i] = i)));
            Crew.Run(threads, t => InLanes(t, threads, Link));
        }

        private delegate void Work(ref Prng prng, int node);

        // The work on a lane's nodes, with random numbers of its own.
        private void InLanes(int thread, int threads, Work work)
        {
            foreach (int lane in LanesOf(thread, threads))
            {
                Prng mine = new(seed, (ulong)lane);
                for (int i = lane; i < roots.Length; i += LaneCount) work(ref mine, i);
            }
        }

        private void Link(ref Prng prng, int i)
        {
            left[i] = prng.Below(roots.Length);
            right[i] = prng.Below(roots.Length);
            Node node = roots[i]!;
            node.Left = roots[left[i]];
            node.Right = roots[right[i]];
        }

        public void Drop(int percent)
        {
            for (int i = 1; i < roots.Length; i++)
            {
                if (prng.Below(100) >= percent) continue;
                roots[i] = null;
                rooted[i] = -1;
            }
        }

        private int AnyRoot()
        {
            // Few tries when many are left; then the next one, so that few left do not take long to find.
            for (int i = 0; i < 16; i++)
            {
                int root = prng.Below(roots.Length);
                if (rooted[root] >= 0) return root;
            }
            int next = prng.Below(roots.Length);
            while (rooted[next] < 0) next = (next + 1) % roots.Length;
            return next;
        }

        // As many edges, and as many nodes. One that is replaced may still be referred to by others.
        public void Change(long count)
        {
            for (long i = 0; i < count; i++)
            {
                int from = AnyRoot(), to = AnyRoot();
                CheckRoot(from);
                roots[from]!.Left = roots[to];
                left[rooted[from]] = rooted[to];
            }
            for (long i = 0; i < count; i++)
            {
                int root = AnyRoot(), a = AnyRoot(), b = AnyRoot();
                CheckRoot(root);
                Node node = new(made) { Left = roots[a], Right = roots[b] };
                left[made] = rooted[a];
                right[made] = rooted[b];
                roots[root] = node;
                rooted[root] = made++;
            }
        }

        private void CheckRoot(int root)
        {
            Node node = roots[root]!;
            Check.That(node.Number == rooted[root] && node.Mark == Prng.Mix((ulong)node.Number), "a root refers to another node than it must");
        }

        public ulong Verify(out int live)
        {
            int expected = Reachable();
            bool[] seen = new bool[made];
            Node[] stack = new Node[expected];
            int depth = 0;
            live = 0;
            ulong sum = 0;
            for (int i = 0; i < roots.Length; i++)
            {
                Check.That(roots[i] == null == rooted[i] < 0, "a root is lost, or one that was dropped is there");
                Push(roots[i], rooted[i]);
                while (depth > 0)
                {
                    Node node = stack[--depth];
                    int number = (int)node.Number;
                    live++;
                    sum += Prng.Mix(node.Mark + 3 * (ulong)left[number] + 5 * (ulong)right[number]);
                    Push(node.Left, left[number]);
                    Push(node.Right, right[number]);
                }
            }
            Check.That(live == expected, $"{live} nodes are reached instead of {expected}");
            Digest digest = default;
            digest.Add(live);
            digest.Add(sum);
            return digest.Value;

            void Push(Node? node, int number)
            {
                if (number < 0) return;
                Check.That(node != null && node.Number == number && node.Mark == Prng.Mix((ulong)number), "an edge leads to another node than it must");
                if (seen[number]) return;
                seen[number] = true;
                stack[depth++] = node!;
            }
        }

        // By the plain arrays.
        private int Reachable()
        {
            bool[] seen = new bool[made];
            int[] stack = new int[made];
            int depth = 0, count = 0;
            foreach (int root in rooted)
            {
                Push(root);
                while (depth > 0)
                {
                    int number = stack[--depth];
                    count++;
                    Push(left[number]);
                    Push(right[number]);
                }
            }
            return count;

            void Push(int number)
            {
                if (number < 0 || seen[number]) return;
                seen[number] = true;
                stack[depth++] = number;
            }
        }
    }
}
