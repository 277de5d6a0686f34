// A raised large-object threshold.
// Rule: objects below the threshold are small objects: new ones are in generation 0.
// The runtime asks the collector for the number; an object of 150 kB is then allocated, copied and promoted as a small one.

namespace Garner.Conformance;

[Behaviour("setting-loh-threshold", "DOTNET_GCLOHThreshold (200,000): arrays of 150,000 bytes are small objects, of 250,000 large ones", Settings = "DOTNET_GCLOHThreshold=0x30D40")]
internal static class SettingLohThreshold
{
    public static void Run(TextWriter output)
    {
        int young = 0;
        byte[][] all = new byte[60][];
        for (int i = 0; i < all.Length; i++)
        {
            all[i] = new byte[150_000];
            young += GC.GetGeneration(all[i]) == 0 ? 1 : 0;
            all[i].AsSpan().Fill((byte)i);
        }
        Expect.That(young > 40, "150,000 bytes are in generation 0 when new");
        Expect.Equal(2, GC.GetGeneration(new byte[250_000]));
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < all.Length; i++)
                Expect.That(!all[i].AsSpan().ContainsAnyExcept((byte)i), $"array {i}");
        }
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
