// The counters of another process, by the two sessions that dotnet-counters and dotnet-monitor open: event counters, and instruments of the System.Runtime
// meter. Values a second, of a program that keeps 50 MB and allocates steadily.
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;

namespace Garner.Tools;

internal static class Counters
{
    private const int Kept = 50;
    private const int Most = 1000; // MB: what wrong units, or a collector that forgets to collect, would be far beyond

    public static int Steady()
    {
        byte[][] kept = [.. Enumerable.Range(0, Kept * 1000).Select(static _ => new byte[1000])];
        GC.Collect();
        Console.WriteLine("ready");
        Task end = Task.Run(Console.ReadLine);
        for (int i = 0; !end.IsCompleted; i++)
        {
            kept[i % kept.Length] = new byte[1000];
            if (i % 1000 == 0)
                Thread.Sleep(1);
            if (i % 50_000 == 0)
                GC.Collect(0);
        }
        return 0;
    }

    public static void Run(string lib)
    {
        using Watched program = new(lib, "steady");
        Dictionary<string, List<double>> seen = [];
        EventPipeProvider counters = new("System.Runtime", System.Diagnostics.Tracing.EventLevel.Informational, 0, new Dictionary<string, string> { ["EventCounterIntervalSec"] = "1" });
        Session.Process(program.Id, counters, source => source.Dynamic.All += e => Take(e, seen), () => seen.GetValueOrDefault("gc-heap-size") is { Count: >= 4 });
        foreach (List<double> values in seen.Values)
            values.RemoveAt(0); // the first interval is not a whole one
        double Mean(string name) => seen.TryGetValue(name, out List<double>? values) && values.Count > 0 ? values.Average() : double.NaN;
        Check.Within(Mean("gc-heap-size"), Kept, Most, "MB of the heap");
        Check.Within(Mean("gc-committed"), Kept, Most, "MB committed");
        Check.Within(Mean("gen-0-gc-count"), 0.3, 1000, "collections of generation 0 a second");
        Check.Within(Mean("alloc-rate"), 1e6, 1e10, "bytes allocated a second");
        Check.Within(Mean("time-in-gc"), 0, 90, "percent of time in collections");
        Check.Within(Mean("total-pause-time-by-gc"), 0.001, 1000, "ms of pauses a second");
        Check.Within(Mean("gc-fragmentation"), 0, 90, "percent of fragmentation");
        Check.Within(Mean("gen-0-size") + Mean("gen-1-size") + Mean("gen-2-size"), Kept * 1e6, Most * 1e6, "bytes of the three generations");
        foreach (string name in seen.Keys.Where(static n => n.Contains("gc", StringComparison.Ordinal) || n.StartsWith("gen", StringComparison.Ordinal)).Order(StringComparer.Ordinal))
            Console.WriteLine(name);
        Instruments(program.Id);
    }

    private static void Instruments(int id)
    {
        Dictionary<string, double> last = [];
        int rounds = 0;
        Dictionary<string, string> asked = new()
        {
            ["SessionId"] = "garner", ["ClientId"] = "garner", ["Metrics"] = "System.Runtime", ["RefreshInterval"] = "1", ["MaxTimeSeries"] = "1000", ["MaxHistograms"] = "10",
        };
        EventPipeProvider metrics = new("System.Diagnostics.Metrics", System.Diagnostics.Tracing.EventLevel.Informational, 2, asked);
        Session.Process(id, metrics, source => source.Dynamic.All += e =>
        {
            if (e.PayloadByName("instrumentName") is not string name || !name.StartsWith("dotnet.gc", StringComparison.Ordinal) || !e.EventName.EndsWith("ValuePublished", StringComparison.Ordinal))
                return;
            if (name == "dotnet.gc.pause.time")
                rounds++;
            last[$"{name} {e.PayloadByName("tags")}".Trim()] = double.TryParse((e.PayloadByName("value") ?? e.PayloadByName("lastValue"))?.ToString(), out double value) ? value : double.NaN;
        }, () => rounds >= 3);
        string[] generations = ["gen0", "gen1", "gen2", "loh", "poh"];
        double Sum(string name) => generations.Sum(g => last.GetValueOrDefault($"{name} gc.heap.generation={g}", double.NaN));
        Check.Within(Sum("dotnet.gc.last_collection.heap.size"), Kept * 1e6, Most * 1e6, "bytes of all generations by the meter");
        Check.Within(Sum("dotnet.gc.last_collection.heap.fragmentation.size"), 0, Most * 1e6, "bytes of fragmentation by the meter");
        Check.Within(last.GetValueOrDefault("dotnet.gc.last_collection.memory.committed_size", double.NaN), Kept * 1e6, Most * 1e6, "bytes committed by the meter");
        Check.Within(last.GetValueOrDefault("dotnet.gc.heap.total_allocated", double.NaN), Kept * 1e6, 1e12, "bytes allocated by the meter");
        Check.Within(last.GetValueOrDefault("dotnet.gc.pause.time", double.NaN), 1e-6, 100, "seconds of pauses by the meter");
        Check.Within(last.GetValueOrDefault("dotnet.gc.collections gc.heap.generation=gen0", double.NaN), 1, 1e6, "collections by the meter");
        foreach (string name in last.Keys.Order(StringComparer.Ordinal))
            Console.WriteLine(name);
    }

    private static void Take(TraceEvent e, Dictionary<string, List<double>> seen)
    {
        if (e.EventName != "EventCounters" || e.PayloadValue(0) is not IDictionary<string, object> outer || outer["Payload"] is not IDictionary<string, object> payload)
            return;
        string name = (string)payload["Name"];
        object value = payload.TryGetValue("Mean", out object? mean) ? mean : payload["Increment"];
        if (!seen.TryGetValue(name, out List<double>? values))
            seen[name] = values = [];
        values.Add(Convert.ToDouble(value));
    }
}
