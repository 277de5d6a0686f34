// Entry point of the workloads: `list`, or the name of a workload and its key=value parameters.

namespace Garner.Bench;

internal static class Program
{
    private static readonly Workload[] Workloads =
    [
        new BinaryTrees(),
        new GcBench(),
        new WarehouseOrders(),
        new LruCache(),
        new DictionaryUpdates(),
        new LargeObjects(),
        new PinnedBuffers(),
        new Finalizers(),
        new XmlTransform(),
        new PageRank(),
        new KMeans(),
        new Components(),
        new RMatPaths(),
        new InvertedIndex(),
        new Actors(),
        new PathTracer(),
        new Hostile(),
        new Aes(),
        new RandomGraph(),
        new OldEntries(),
        new RequestServer(),
        new GenerateCsharp(),
        new GenerateSolution(),
    ];

    private static int Main(string[] arguments)
    {
        if (arguments.Length == 0) return Report.Usage("usage: dotnet Workloads.dll list | NAME key=value …");
        if (arguments[0] == "list")
        {
            if (arguments.Length > 1) return Report.Usage("list takes no parameters");
            foreach (Workload w in Workloads) w.Describe(Console.Out);
            return 0;
        }
        Workload? workload = Array.Find(Workloads, w => w.Name == arguments[0]);
        if (workload == null) return Report.Usage($"no workload '{arguments[0]}'; `list` shows what there is");
        return Report.Run(workload, arguments.Skip(1));
    }
}
