// components: connected components and shortest paths of R-MAT graphs, by parallel LINQ on immutable records and maps.
//
// It stresses immutable maps: every round replaces a part of a large tree, so that new inner nodes share old subtrees; records sent along all edges die
// in the round, those that improve something live on, and paths are chains through records of all ages.
//
// One operation is one round: what changed in the last one is sent to the neighbours, the best of what arrives at a vertex is kept if it is better
// than what was there. Both results of every graph are compared with a union of sets and Dijkstra's algorithm on plain arrays.

using System.Collections.Immutable;

namespace Garner.Bench;

internal sealed class Components : Workload
{
    private const int MaxLength = 100;

    public override string Name => "components";

    public override string Stresses => "immutable maps that share old subtrees, records sent along edges in parallel, chains through records of all ages";

    public override Parameter[] Parameters =>
    [
        new("scale", 14, 4, 22, "vertices, as a power of two"),
        new("edges", 4, 1, 64, "edges of a vertex, on average"),
        new("graphs", 6, 1, 10_000, "graphs, one after another"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads, scale = parameters.Int("scale"), count = 1 << scale;
        InParallel.Prepare(threads);
        Latencies latencies = new();
        Digest digest = default;
        long rounds = 0;
        for (int i = 0; i < parameters.Int("graphs"); i++)
        {
            ulong seed = Prng.Mix(parameters.Seed) + (ulong)i;
            Prng prng = new(seed);
            (int From, int To, int Length)[] plain = [.. RMat.Edges(scale, count * parameters.Int("edges"), seed).Select(e => (e.From, e.To, 1 + prng.Below(MaxLength)))];
            ImmutableArray<Vertex> graph = Build(count, plain);
            rounds += Join(graph, plain, threads, latencies, ref digest);
            rounds += Reach(graph, plain, threads, latencies, ref digest);
        }
        return new Outcome(rounds, latencies, digest.Value);
    }

    private static ImmutableArray<Vertex> Build(int count, (int From, int To, int Length)[] plain)
    {
        ILookup<int, Edge> edges = plain.Select(e => (e.From, new Edge(e.To, e.Length))).Concat(plain.Select(e => (From: e.To, new Edge(e.From, e.Length)))).ToLookup(e => e.From, e => e.Item2);
        return [.. Enumerable.Range(0, count).Select(id => new Vertex(id, [.. edges[id]]))];
    }

    // Components: every vertex takes the smallest number it hears of.
    private static int Join(ImmutableArray<Vertex> graph, (int From, int To, int Length)[] plain, int threads, Latencies latencies, ref Digest digest)
    {
        long time = Latencies.Now();
        ImmutableDictionary<int, Label> labels = graph.ToImmutableDictionary(vertex => vertex.Id, vertex => new Label(vertex.Id, vertex.Id));
        Label[] changed = [.. labels.Values];
        int rounds = 0;
        while (changed.Length > 0)
        {
            ImmutableDictionary<int, Label> known = labels;
            changed = InParallel.Of(changed, threads)
                .SelectMany(label => graph[label.Vertex].Edges, (label, edge) => new Label(edge.To, label.Component))
                .Where(label => label.Component < known[label.Vertex].Component)
                .GroupBy(label => label.Vertex)
                .Select(group => group.MinBy(label => label.Component)!)
                .ToArray();
            labels = labels.SetItems(changed.Select(label => KeyValuePair.Create(label.Vertex, label)));
            rounds++;
            time = latencies.Since(time);
        }

        int[] expected = [.. Enumerable.Range(0, graph.Length)];
        foreach ((int from, int to, _) in plain)
        {
            int a = Root(expected, from), b = Root(expected, to);
            expected[Math.Max(a, b)] = Math.Min(a, b);
        }
        Check.That(labels.Count == graph.Length, "the map of labels has lost vertices");
        for (int id = 0; id < graph.Length; id++)
        {
            Label label = labels[id];
            Check.That(label.Vertex == id && label.Component == Root(expected, id), "a vertex is in another component than it must be");
            digest.Add(label.Component);
        }
        return rounds;
    }

    private static int Root(int[] sets, int id)
    {
        while (sets[id] != id) id = sets[id] = sets[sets[id]];
        return id;
    }

    // Shortest paths from the vertex with most edges: every vertex keeps the best path it hears of, and equal ones by the number of the vertex before.
    private static int Reach(ImmutableArray<Vertex> graph, (int From, int To, int Length)[] plain, int threads, Latencies latencies, ref Digest digest)
    {
        long time = Latencies.Now();
        int source = graph.MaxBy(vertex => vertex.Edges.Length)!.Id;
        ImmutableDictionary<int, Path> paths = ImmutableDictionary<int, Path>.Empty.Add(source, new Path(source, 0, null));
        Path[] changed = [paths[source]];
        int rounds = 0;
        while (changed.Length > 0)
        {
            ImmutableDictionary<int, Path> known = paths;
            changed = InParallel.Of(changed, threads)
                .SelectMany(path => graph[path.Vertex].Edges, (path, edge) => new Path(edge.To, path.Length + edge.Length, path))
                .Where(path => !known.TryGetValue(path.Vertex, out Path? best) || path.Length < best.Length)
                .GroupBy(path => path.Vertex)
                .Select(group => group.MinBy(path => (path.Length, path.Before!.Vertex))!)
                .ToArray();
            paths = paths.SetItems(changed.Select(path => KeyValuePair.Create(path.Vertex, path)));
            rounds++;
            time = latencies.Since(time);
        }

        long[] expected = Distances(graph.Length, plain, source);
        Check.That(paths.Count == expected.Count(distance => distance >= 0), "not the vertices are reached that can be");
        for (int id = 0; id < graph.Length; id++)
        {
            if (expected[id] < 0) continue;
            Path path = paths[id];
            Check.That(path.Vertex == id && path.Length == expected[id], "a path is not the shortest");
            for (Path p = path; p.Before != null; p = p.Before)
            {
                digest.Add(p.Vertex);
                Check.That(p.Length > p.Before.Length, "a path does not grow");
            }
            digest.Add(path.Length);
        }
        return rounds;
    }

    // Dijkstra's algorithm on plain arrays; -1: not reached.
    private static long[] Distances(int count, (int From, int To, int Length)[] plain, int source)
    {
        int[] first = new int[count], next = new int[2 * plain.Length];
        Array.Fill(first, -1);
        for (int i = 0; i < next.Length; i++)
        {
            ref int head = ref first[i % 2 == 0 ? plain[i / 2].From : plain[i / 2].To];
            next[i] = head;
            head = i;
        }
        long[] distances = new long[count];
        Array.Fill(distances, -1);
        PriorityQueue<int, long> queue = new();
        queue.Enqueue(source, 0);
        while (queue.TryDequeue(out int vertex, out long distance))
        {
            if (distances[vertex] >= 0) continue;
            distances[vertex] = distance;
            for (int i = first[vertex]; i >= 0; i = next[i]) queue.Enqueue(i % 2 == 0 ? plain[i / 2].To : plain[i / 2].From, distance + plain[i / 2].Length);
        }
        return distances;
    }

    private sealed record Edge(int To, int Length);

    private sealed record Vertex(int Id, ImmutableArray<Edge> Edges);

    private sealed record Label(int Vertex, int Component);

    private sealed record Path(int Vertex, long Length, Path? Before);
}
