// Entry point of the workloads that need nothing but the class library.

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
        new OldStores(),
        new Survivors(),
        new RequestServer(),
        new Hello(),
        new GenerateCsharp(),
        new GenerateSolution(),
    ];

    private static int Main(string[] arguments) => Menu.Run("Workloads.dll", Workloads, arguments);
}
