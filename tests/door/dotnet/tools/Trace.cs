// What a trace says of the watched program's collections and allocations, against what System.GC told the program.
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Analysis;
using Microsoft.Diagnostics.Tracing.Analysis.GC;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Garner.Tools;

internal static class Trace
{
    private sealed record Seen(string Name, int Number, int Thread);

    public static void Examine(string file, Facts facts, bool verbose)
    {
        List<Seen> order = [];
        Dictionary<string, long> ticks = [];
        Dictionary<int, GCHeapStatsTraceData> statistics = [];
        using EventPipeEventSource source = new(file);
        int current = 0;
        void Note(TraceEvent e, string name, int number) => order.Add(new(name, number, e.ThreadID));
        source.Clr.GCTriggered += e => Note(e, "triggered", 0);
        source.Clr.GCSuspendEEStart += e => Note(e, e.Reason == GCSuspendEEReason.SuspendForGC ? "suspend" : "suspend for other", e.Count);
        source.Clr.GCSuspendEEStop += e => Note(e, "suspended", 0);
        source.Clr.GCStart += e => Note(e, "start", current = e.Count);
        source.Clr.GCStop += e => Note(e, "end", e.Count);
        source.Clr.GCHeapStats += e => statistics[current] = (GCHeapStatsTraceData)e.Clone();
        source.Clr.GCHeapStats += e => Note(e, "statistics", 0);
        source.Clr.GCGlobalHeapHistory += e => Note(e, "history", 0);
        source.Clr.GCPerHeapHistory += e => Note(e, "heap history", 0);
        source.Clr.GCRestartEEStart += e => Note(e, "restart", 0);
        source.Clr.GCRestartEEStop += e => Note(e, "restarted", 0);
        source.Clr.GCAllocationTick += e =>
        {
            string key = $"{e.AllocationKind} {e.TypeName}";
            ticks[key] = ticks.GetValueOrDefault(key) + e.AllocationAmount64;
        };
        source.NeedLoadedDotNetRuntimes();
        source.Process();

        Equal(source.EventsLost, 0, "events lost");
        Dictionary<int, TraceGC> collections = source.Processes().Single(p => p.ProcessID == facts.ProcessId).LoadedDotNetRuntime().GC.GCs.ToDictionary(static gc => gc.Number);
        Sequence(order);
        foreach (Collection fact in facts.Collections)
            if (collections.TryGetValue((int)fact.Index, out TraceGC? gc))
                One(fact, gc, statistics[(int)fact.Index]);
            else
                Check.That(false, $"collection {fact.Index} ({fact.Reason}) is in the trace");
        if (verbose)
            Ticks(ticks, facts);
        else
            Check.Equal(0, ticks.Count, "kinds of ticks that nobody asked for");
    }

    private static void Equal(long found, long expected, string what) => Check.Equal(expected, found, what);

    /// <summary>The collector's own events of one collection, in stock's order and on the thread that stopped the program.</summary>
    private static void Sequence(List<Seen> order)
    {
        string[] expected = ["suspend", "suspended", "start", "end", "statistics", "restart", "restarted"];
        int last = 0;
        for (int i = 0; i < order.Count; i++)
        {
            if (order[i].Name != "start")
                continue;
            Check.That(last == 0 || order[i].Number == last + 1, $"collection {order[i].Number} comes after {last}");
            last = order[i].Number;
            int first = order.FindLastIndex(i, static s => s.Name == "suspend"), end = order.FindIndex(i, static s => s.Name == "restarted");
            if (first < 0 || end < 0)
            {
                Check.That(first < 0, $"the program goes on after collection {last}");
                continue; // a session may begin inside one
            }
            List<Seen> span = order[first..(end + 1)];
            string found = string.Join(' ', span.Select(static s => s.Name).Where(expected.Contains));
            Check.Equal(string.Join(' ', expected), found, $"the order of events of collection {last}");
            Check.Equal(1, span.Count(static s => s.Name == "history"), $"histories of collection {last}");
            Check.That(span.Any(static s => s.Name == "heap history"), $"collection {last} has a history of a heap");
            Check.Equal(last, span.Single(static s => s.Name == "end").Number, "the number at the end");
            Check.That(span.All(s => s.Thread == order[first].Thread), $"collection {last} is told by one thread");
        }
        Check.That(last > 0, "collections were seen");
    }

    /// <summary>One collection through TraceEvent's analysis, which is what PerfView, dotnet-trace report and Visual Studio show.</summary>
    private static void One(Collection fact, TraceGC gc, GCHeapStatsTraceData statistics)
    {
        string name = $"collection {fact.Index} ({fact.Reason})";
        Console.WriteLine($"{fact.Reason}, generation {fact.Asked} at least, {gc.Type}"); // a collector may take more than it is asked for
        Equal(gc.Generation, fact.Generation, $"{name}: generation");
        Check.That(gc.Generation >= fact.Asked, $"{name}: generation {gc.Generation} for {fact.Asked}");
        Check.Equal(fact.Reason, Name(gc.Reason), $"{name}: reason");
        Check.That(gc.IsComplete, $"{name} is complete");
        Check.Within(gc.PauseDurationMSec, fact.PauseMs * 0.5 - 100, fact.PauseMs * 1.5 + 100, $"{name}: pause in ms"); // a thread may lose its processor between a clock and an event
        Check.That(gc.SuspendDurationMSec >= 0 && gc.SuspendDurationMSec <= gc.PauseDurationMSec, $"{name}: time to stop {gc.SuspendDurationMSec} of {gc.PauseDurationMSec} ms");

        long[] sizes = [statistics.GenerationSize0, statistics.GenerationSize1, statistics.GenerationSize2, statistics.GenerationSize3, statistics.GenerationSize4];
        Check.Within(sizes.Sum(), fact.HeapSize - 65_536, fact.HeapSize + 65_536, $"{name}: bytes of all generations");
        for (int g = 2; g < 5; g++)
            Check.Within(sizes[g], fact.Sizes[g] - 65_536, fact.Sizes[g] + 65_536, $"{name}: bytes of generation {g}");
        Check.Within(gc.HeapSizeAfterMB, sizes.Sum() / 1e6 - 0.1, sizes.Sum() / 1e6 + 0.1, $"{name}: HeapSizeAfterMB");
        Check.Within(fact.Total, fact.HeapSize - fact.Fragmented - 65_536, fact.HeapSize + 600_000, $"{name}: GC.GetTotalMemory");
        Equal(statistics.PinnedObjectCount, fact.Pinned, $"{name}: pinned objects");

        Check.That(gc.GlobalHeapHistory != null, $"{name} has a global history");
        Equal((int)gc.GlobalHeapHistory!.CondemnedGeneration, fact.Generation, $"{name}: condemned generation of the history");
        Check.Equal(fact.Reason, Name(gc.GlobalHeapHistory.Reason), $"{name}: reason of the history");
        Equal(gc.PerHeapHistories?.Count ?? 0, gc.GlobalHeapHistory.NumHeaps, $"{name}: histories of heaps");
        if (gc.PerHeapHistories is not { Count: > 0 } histories)
            return;
        for (int g = 0; g < 5; g++)
        {
            GCPerHeapHistoryGenData[] heaps = [.. histories.Select(h => h.GenData[g])];
            Check.Within(heaps.Sum(static h => h.SizeAfter), fact.Sizes[g] - 65_536, fact.Sizes[g] + 65_536, $"{name}: SizeAfter of generation {g} in the histories");
            Check.That(heaps.All(static h => h.Fragmentation >= 0 && h.Fragmentation <= h.SizeAfter + h.SizeBefore + 65_536), $"{name}: fragmentation of generation {g}");
        }
        Check.That(histories.All(h => h.GenData[fact.Generation].Budget > 0), $"{name}: budget of generation {fact.Generation}");
        Check.That(histories.Sum(static h => h.GenData[(int)Gens.Gen2].SizeBefore + h.GenData[(int)Gens.GenLargeObj].SizeBefore) >= 3_000_000, $"{name}: SizeBefore has what the program keeps");
    }

    private static string Name(GCReason reason) => (int)reason == 17 ? "InducedAggressive" : reason.ToString(); // younger than this TraceEvent

    /// <summary>A tick every 100 KB and heap, named after the object that was due: the sums are the bytes, to a few ticks.</summary>
    private static void Ticks(Dictionary<string, long> ticks, Facts facts)
    {
        (string Key, long Bytes, long Object)[] rows =
            [("Small Garner.Tools.Small", facts.SmallBytes, 48), ("Large System.Int64[]", facts.LargeBytes, 800_024), ("Pinned System.Int16[]", facts.PinnedBytes, 120_024)];
        foreach ((string key, long bytes, long size) in rows)
        {
            long slack = bytes / 50 + 3 * Math.Max(size, 110_000) + 4_000_000 * (key[0] == 'S' ? 1 : 0); // the program also made 50,000 of them at its start
            Check.Within(ticks.GetValueOrDefault(key), bytes * 0.98 - 3 * Math.Max(size, 110_000), bytes + slack, $"bytes of ticks of {key} (seen: {string.Join(", ", ticks.Keys.Take(8))})");
            Console.WriteLine($"ticks {key}");
        }
    }
}
