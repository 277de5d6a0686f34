// The heap as dotnet-gcdump gets it: a session with the heap-snapshot keywords makes the runtime collect and send every object, reference and root.
// The graph that comes is the one that the program made (Shape.cs): objects and bytes by type, references from type to type, dependent pairs, roots.
using Garner.Tools.Shapes;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Garner.Tools;

internal static class Shape
{
    public static int Run()
    {
        Maker.Make();
        Console.WriteLine("ready");
        Console.ReadLine();
        return Maker.Root!.Branches!.Length == Maker.Branches ? 0 : 1;
    }
}

internal sealed class Graph
{
    private const string Ours = "Garner.Tools.Shapes.";

    private readonly List<(ulong Address, ulong Type, long Bytes, int Edges)> _nodes = [];
    private readonly List<ulong> _edges = [];
    private readonly List<(ulong Key, ulong Value)> _dependent = [];
    private readonly List<ulong> _roots = [];
    private readonly Dictionary<ulong, string> _types = [];
    private int _dumping; // the number of the collection that sends the heap, while it does
    private bool _complete;

    public static void Run(string lib)
    {
        using Watched program = new(lib, "shape");
        for (int round = 0; round < 2; round++) // a second one finds the same
        {
            Graph graph = new();
            EventPipeProvider snapshot = new("Microsoft-Windows-DotNETRuntime", System.Diagnostics.Tracing.EventLevel.Verbose, (long)ClrTraceEventParser.Keywords.GCHeapSnapshot);
            Session.Process(program.Id, snapshot, source => graph.Watch(source.Clr), () => graph._complete);
            graph.Examine(round);
        }
    }

    private void Watch(ClrTraceEventParser clr)
    {
        clr.GCStart += e => _dumping = e.Depth == 2 && e.Reason == GCReason.Induced && !_complete ? e.Count : 0;
        clr.GCStop += e => _complete |= e.Count == _dumping && _nodes.Count != 0;
        clr.TypeBulkType += e =>
        {
            for (int i = 0; i < e.Count; i++)
                _types[e.Values(i).TypeID] = e.Values(i).TypeName;
        };
        clr.GCBulkNode += e =>
        {
            for (int i = 0; i < e.Count; i++)
            {
                GCBulkNodeValues v = e.Values(i);
                _nodes.Add((v.Address, v.TypeID, (long)v.Size, (int)v.EdgeCount));
            }
        };
        clr.GCBulkEdge += e =>
        {
            for (int i = 0; i < e.Count; i++)
                _edges.Add(e.Values(i).Target);
        };
        clr.GCBulkRootEdge += e =>
        {
            for (int i = 0; i < e.Count; i++)
                if ((e.Values(i).GCRootFlag & GCRootFlags.WeakRef) == 0)
                    _roots.Add(e.Values(i).RootedNodeAddress);
        };
        clr.GCBulkRootConditionalWeakTableElementEdge += e =>
        {
            for (int i = 0; i < e.Count; i++)
                _dependent.Add((e.Values(i).GCKeyNodeID, e.Values(i).GCValueNodeID));
        };
    }

    private void Examine(int round)
    {
        Check.That(_complete, "the dump came to its end");
        Check.Equal(_nodes.Sum(static n => (long)n.Edges), _edges.Count, "edges are as many as the nodes announce");
        Dictionary<ulong, string> names = [];
        foreach ((ulong address, ulong type, _, _) in _nodes)
            Check.That(names.TryAdd(address, _types.GetValueOrDefault(type, "?")), $"object {address:x} comes once");
        SortedDictionary<string, (int Objects, long Bytes)> byType = new(StringComparer.Ordinal);
        SortedDictionary<string, int> byEdge = new(StringComparer.Ordinal);
        int at = 0, lost = 0;
        foreach ((ulong address, _, long bytes, int edges) in _nodes)
        {
            string from = names[address];
            (int objects, long sum) = byType.GetValueOrDefault(from);
            byType[from] = (objects + 1, sum + bytes);
            for (int end = at + edges; at < end; at++)
            {
                if (!names.TryGetValue(_edges[at], out string? to))
                    lost++;
                else if (Mine(from) || Mine(to))
                    Add(byEdge, $"{from} -> {to}");
            }
        }
        Check.Equal(0, lost, "references to something that is no object of the dump");
        Check.Equal(0, names.Values.Count(static n => n == "?"), "objects without a type's name");
        foreach ((ulong key, ulong value) in _dependent)
            if (Mine(names.GetValueOrDefault(key, "")))
                Add(byEdge, $"{names[key]} => {names.GetValueOrDefault(value, "nothing")}");
        foreach (ulong root in _roots.Distinct())
            if (Mine(names.GetValueOrDefault(root, "")))
                Add(byEdge, $"root: {names[root]}");
        Made(byType, byEdge);
        if (round != 0)
            return;
        foreach ((string type, (int objects, long bytes)) in byType.Where(static t => Mine(t.Key)))
            Console.WriteLine($"{type}: {objects} objects, {bytes} bytes");
        foreach ((string edge, int count) in byEdge)
            Console.WriteLine($"{edge}: {count}");
    }

    private static void Made(SortedDictionary<string, (int Objects, long Bytes)> types, SortedDictionary<string, int> edges)
    {
        void Objects(string type, int count, long bytes) => Check.Equal((count, bytes * count), types.GetValueOrDefault(Ours + type), $"objects and bytes of {type}");
        void Edges(string from, string arrow, string to, int count) => Check.Equal(count, edges.GetValueOrDefault($"{Ours}{from} {arrow} {Ours}{to}"), $"{from} {arrow} {to}");
        Objects("Top", 1, 40);
        Objects("Branch", Maker.Branches, 48);
        Objects("Leaf", 1 + Maker.Branches + Maker.Pairs + Maker.Keys, 24);
        Objects("Link", Maker.Links, 32);
        Objects("Key", Maker.Keys, 24);
        Objects("Value", Maker.Keys, 32);
        Objects("Held", Maker.Helds, 24);
        Objects("Dead", 0, 24);
        Objects("Fixed", 1, 32);
        Objects("Finalized", Maker.Finalizeds, 24);
        Objects("Branch[]", 1, 24 + 8 * Maker.Branches);
        Objects("Leaf[]", 1, 24 + 8 * 20_000);
        Objects("Pair[]", 1, 24 + 24 * Maker.Pairs);
        Edges("Branch[]", "->", "Branch", Maker.Branches);
        Edges("Branch", "->", "Leaf", 2 * Maker.Branches);
        Edges("Branch", "->", "Top", Maker.Branches);
        Edges("Link", "->", "Link", Maker.Links - 1);
        Edges("Link", "->", "Leaf", Maker.Links / 2);
        Edges("Pair[]", "->", "Leaf", Maker.Pairs);
        Edges("Pair[]", "->", "Link", Maker.Pairs);
        Edges("Key", "=>", "Value", Maker.Keys);
        Edges("Value", "->", "Key", Maker.Keys);
        Edges("Finalized", "->", "Leaf", Maker.Finalizeds);
        Check.Equal(Maker.Helds, edges.GetValueOrDefault($"root: {Ours}Held"), "roots of handles");
    }

    private static bool Mine(string type) => type.StartsWith(Ours, StringComparison.Ordinal);
    private static void Add(SortedDictionary<string, int> counts, string key) => counts[key] = counts.GetValueOrDefault(key) + 1;
}
