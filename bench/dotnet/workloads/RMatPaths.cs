// rmat-paths: all paths up to a length from many nodes of an R-MAT graph of objects.
//
// It stresses tracing of a graph with few nodes of very many references, and lists of paths that share their beginnings: a list lives for a while and
// then dies at once, except for beginnings that another list holds no more; a full collection sees deep chains behind large arrays.
//
// One operation starts at one node and lists its paths, the shorter first, until all of at most `length` edges are there or `paths` of them. No path
// visits a node twice. Lanes share the graph, which does not change, and hold their own last lists; one path in a few is walked when its list is dropped.

namespace Garner.Bench;

internal sealed class RMatPaths : Workload
{
    private const int Kept = 4;

    public override string Name => "rmat-paths";

    public override string Stresses => "a graph with a few nodes of very many references, chains that share their beginnings and die in bulk";

    public override Parameter[] Parameters =>
    [
        new("scale", 15, 4, 22, "nodes, as a power of two"),
        new("edges", 8, 1, 64, "edges of a node, on average"),
        new("length", 4, 1, 64, "edges of the longest path"),
        new("paths", 5000, 1, 10_000_000, "paths of one node at most"),
        new("searches", 5000, 1, 10_000_000_000, "nodes whose paths are listed"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int scale = parameters.Int("scale"), length = parameters.Int("length"), most = parameters.Int("paths");
        int[][] links = RMat.Links(1 << scale, RMat.Edges(scale, parameters.Int("edges") << scale, parameters.Seed));
        Node[] nodes = [.. Enumerable.Range(0, links.Length).Select(id => new Node(id))];
        for (int id = 0; id < links.Length; id++) nodes[id].Edges = Array.ConvertAll(links[id], to => nodes[to]);

        Outcome outcome = RunLanes(parameters.Threads, parameters.Long("searches"), lane => new Lane(parameters.Seed, lane, nodes, length, most));
        for (int id = 0; id < links.Length; id++)
        {
            Check.That(nodes[id].Id == id && nodes[id].Edges.Length == links[id].Length, "a node has changed");
            for (int i = 0; i < links[id].Length; i++) Check.That(nodes[id].Edges[i].Id == links[id][i], "an edge leads to another node");
        }
        return outcome;
    }

    private sealed class Node(int id)
    {
        public readonly int Id = id;
        public Node[] Edges = [];
    }

    private sealed class Path(Node last, Path? before)
    {
        public readonly Node Last = last;
        public readonly Path? Before = before;
        public readonly ulong Mark = Prng.Mix((before?.Mark ?? 0) + (ulong)last.Id);

        public bool Visits(Node node)
        {
            for (Path? path = this; path != null; path = path.Before)
                if (ReferenceEquals(path.Last, node)) return true;
            return false;
        }
    }

    private sealed class Lane(ulong seed, int lane, Node[] nodes, int length, int most) : ILane
    {
        private readonly List<Path>?[] lists = new List<Path>?[Kept];
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;

        public void Step()
        {
            Node source = nodes[prng.Below(nodes.Length)];
            // Many nodes have no edges; one of a few more attempts finds some.
            for (int i = 0; i < 8 && source.Edges.Length == 0; i++) source = nodes[prng.Below(nodes.Length)];
            List<Path> found = Paths(source);
            foreach (Path path in found) digest.Add(path.Mark);
            ref List<Path>? slot = ref lists[prng.Below(Kept)];
            if (slot != null) VerifyList(slot);
            slot = found;
        }

        private List<Path> Paths(Node source)
        {
            List<Path> found = [new Path(source, null)];
            int level = 0;
            for (int edges = 0; edges < length; edges++)
            {
                int end = found.Count;
                for (; level < end; level++)
                {
                    Path path = found[level];
                    foreach (Node to in path.Last.Edges)
                    {
                        if (path.Visits(to)) continue;
                        if (found.Count == most) return found;
                        found.Add(new Path(to, path));
                    }
                }
            }
            return found;
        }

        private static void VerifyList(List<Path> list)
        {
            for (int i = 0; i < list.Count; i += 61)
            {
                for (Path path = list[i]; path.Before != null; path = path.Before)
                {
                    Check.That(path.Mark == Prng.Mix(path.Before.Mark + (ulong)path.Last.Id), "a path is not what it was");
                    Check.That(Array.IndexOf(path.Before.Last.Edges, path.Last) >= 0, "a path goes where no edge is");
                }
            }
        }

        public ulong Verify()
        {
            foreach (List<Path>? list in lists)
            {
                if (list == null) continue;
                VerifyList(list);
                digest.Add(list.Count);
            }
            return digest.Value;
        }
    }
}
