// ArrayPool<T>.Shared gives its arrays back when memory is scarce.
// Rule: after full collections the pool's callback runs; under high memory load (threshold set to 1 %) it drops what it holds at once.
// It needs a finalizer that registers itself again, and true figures of memory load and threshold from the collector.

using System.Buffers;
using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-arraypool-trim", "ArrayPool<T>.Shared trims its arrays after full collections under high memory load", Settings = "DOTNET_GCHighMemPercent=0x1")]
internal static class ArrayPoolTrimming
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> Use()
    {
        List<WeakReference> weak = [];
        // One array of each size: the thread's own cache holds one, and is what high pressure empties at once.
        byte[][] rented = new byte[5][];
        for (int i = 0; i < rented.Length; i++)
        {
            rented[i] = ArrayPool<byte>.Shared.Rent(10_000 << i);
            Expect.That(rented[i].Length >= 10_000 << i, "length of a rented array");
            weak.Add(new WeakReference(rented[i]));
        }
        foreach (byte[] array in rented)
            ArrayPool<byte>.Shared.Return(array);
        return weak;
    }

    public static void Run(TextWriter output)
    {
        GC.Collect();
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        Expect.That(info.HighMemoryLoadThresholdBytes <= info.TotalAvailableMemoryBytes / 50, "the threshold follows the setting");
        Expect.That(info.MemoryLoadBytes >= info.HighMemoryLoadThresholdBytes * 0.9, "the load is above it");
        for (int round = 0; round < 3; round++)
        {
            List<WeakReference> weak = Use();
            Expect.That(Heap.Until(() => weak.TrueForAll(static w => !w.IsAlive)), $"pooled arrays are dropped in round {round}");
        }
        output.WriteLine("trimmed");
    }
}
