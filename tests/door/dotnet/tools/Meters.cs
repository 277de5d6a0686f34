// The System.Runtime meter, which OpenTelemetry and dotnet-counters export, read by a MeterListener inside the program: what its instruments say of the
// collector is what System.GC says.
using System.Diagnostics.Metrics;

namespace Garner.Tools;

internal static class Meters
{
    private static object? s_kept;

    public static void Run()
    {
        Dictionary<string, double> values = [];
        using MeterListener listener = new() { InstrumentPublished = static (instrument, l) => { if (instrument.Meter.Name == "System.Runtime") l.EnableMeasurementEvents(instrument); } };
        void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            string generation = "";
            foreach ((string name, object? tag) in tags)
                if (name == "gc.heap.generation")
                    generation = $" {tag}";
            values[instrument.Name + generation] = value;
        }
        listener.SetMeasurementEventCallback<long>((i, v, t, _) => Take(i, v, t));
        listener.SetMeasurementEventCallback<double>((i, v, t, _) => Take(i, v, t));
        listener.Start();

        for (int round = 0; round < 4; round++)
        {
            List<object> mixed = [new byte[1_000_000], GC.AllocateArray<byte>(100_000, pinned: true)];
            for (int i = 0; i < 100_000; i++)
                mixed.Add(new byte[100]);
            s_kept = mixed.Where(static (_, i) => i < 2 || i % 3 == 0).ToArray();
            mixed.Clear();
            GC.Collect(round % 3);
            long least = GC.GetTotalAllocatedBytes();
            listener.RecordObservableInstruments();
            Compare(values, GC.GetGCMemoryInfo(GCKind.Any), least);
        }
        foreach (string name in values.Keys.Where(static n => n.StartsWith("dotnet.gc", StringComparison.Ordinal)).Order(StringComparer.Ordinal))
            Console.WriteLine(name);
        GC.KeepAlive(s_kept);
    }

    private static void Compare(Dictionary<string, double> values, GCMemoryInfo info, long leastAllocated)
    {
        double Of(string name) => values.GetValueOrDefault(name, double.NaN);
        Check.Equal(GC.CollectionCount(0) - GC.CollectionCount(1), Of("dotnet.gc.collections gen0"), "collections of generation 0");
        Check.Equal(GC.CollectionCount(1) - GC.CollectionCount(2), Of("dotnet.gc.collections gen1"), "collections of generation 1");
        Check.Equal(GC.CollectionCount(2), Of("dotnet.gc.collections gen2"), "collections of generation 2");
        Check.Within(Of("dotnet.gc.heap.total_allocated"), leastAllocated, GC.GetTotalAllocatedBytes(), "bytes allocated");
        Check.Equal(info.TotalCommittedBytes, Of("dotnet.gc.last_collection.memory.committed_size"), "committed bytes");
        Check.Equal(GC.GetTotalPauseDuration().TotalSeconds, Of("dotnet.gc.pause.time"), "seconds of pauses");
        Check.That(Of("dotnet.gc.pause.time") > 0, "there were pauses");
        string[] names = ["gen0", "gen1", "gen2", "loh", "poh"];
        double sum = 0;
        for (int g = 0; g < names.Length; g++)
        {
            Check.Equal(info.GenerationInfo[g].SizeAfterBytes, Of($"dotnet.gc.last_collection.heap.size {names[g]}"), $"size of {names[g]}");
            Check.Equal(info.GenerationInfo[g].FragmentationAfterBytes, Of($"dotnet.gc.last_collection.heap.fragmentation.size {names[g]}"), $"fragmentation of {names[g]}");
            sum += Of($"dotnet.gc.last_collection.heap.size {names[g]}");
        }
        Check.Within(sum, info.HeapSizeBytes * 0.98, info.HeapSizeBytes * 1.02, "sizes of all generations");
        Check.Within(Of("dotnet.gc.last_collection.heap.size loh"), 1_000_000, 20_000_000, "the large array");
        Check.Within(Of("dotnet.gc.last_collection.heap.size poh"), 100_000, 4_000_000, "the pinned one");
    }
}
