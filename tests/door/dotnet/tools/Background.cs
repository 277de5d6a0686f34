// A background collection, as TraceEvent's analysis sees it: PerfView, dotnet-trace report and Visual Studio show what it says. The watched program asks for some without
// waiting, collects young objects while they last, and writes down what System.GC says of each.
using System.Text.Json;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Analysis;
using Microsoft.Diagnostics.Tracing.Analysis.GC;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Garner.Tools;

internal static class Background
{
    private sealed record Fact(long Index, double FirstMs, double LastMs);
    private const int Rounds = 4;
    private static object? s_kept, s_last;

    /// <summary>The watched program.</summary>
    public static int Target(string facts)
    {
        Console.WriteLine("ready");
        Console.ReadLine();
        s_kept = Enumerable.Range(0, 3_000_000).Select(static _ => new Small()).ToArray();
        GC.Collect();
        List<Fact> made = [];
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetGCMemoryInfo(GCKind.Background).Index;
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            for (int i = 0; i < 3; i++)
            {
                s_last = new byte[10_000];
                GC.Collect(0);
            }
            for (int i = 0; i < 4000 && GC.GetGCMemoryInfo(GCKind.Background).Index == before; i++)
                Thread.Sleep(5);
            GCMemoryInfo info = GC.GetGCMemoryInfo(GCKind.Background);
            if (info.Index != before)
                made.Add(new(info.Index, info.PauseDurations[0].TotalMilliseconds, info.PauseDurations[1].TotalMilliseconds));
        }
        GC.Collect(1);
        File.WriteAllText(facts, JsonSerializer.Serialize(made));
        GC.KeepAlive(s_kept);
        return 0;
    }

    public static int Run(string lib, string dir)
    {
        string trace = Path.Combine(dir, "background.nettrace"), facts = Path.Combine(dir, "background.json");
        int id;
        using (Watched program = new(lib, "background-target", facts))
        {
            id = program.Id;
            EventPipeProvider gc = new("Microsoft-Windows-DotNETRuntime", System.Diagnostics.Tracing.EventLevel.Informational, 1);
            using EventPipeSession session = new DiagnosticsClient(id).StartEventPipeSession(gc, requestRundown: false, circularBufferMB: 64);
            using FileStream file = File.Create(trace);
            program.GoOn();
            session.EventStream.CopyTo(file); // ends with the program
        }
        return Check.Verdict(() => Examine(trace, id, JsonSerializer.Deserialize<List<Fact>>(File.ReadAllText(facts))!));
    }

    private static void Examine(string trace, int id, List<Fact> facts)
    {
        Check.Equal(Rounds, facts.Count, "background collections that System.GC knows");
        List<string> order = [];
        using EventPipeEventSource source = new(trace);
        source.Clr.GCStart += e => order.Add($"start {e.Count} {e.Depth} {(int)e.Type}");
        source.Clr.GCStop += e => order.Add($"end {e.Count} {e.Depth}");
        source.NeedLoadedDotNetRuntimes();
        source.Process();
        List<TraceGC> all = source.Processes().Single(p => p.ProcessID == id).LoadedDotNetRuntime().GC.GCs;
        for (int i = 1; i < all.Count; i++)
            Check.Equal(all[i - 1].Number + 1, all[i].Number, "numbers follow each other");
        foreach (TraceGC gc in all)
        {
            string name = $"collection {gc.Number}, {gc.Type}";
            Check.That(gc.IsComplete, $"{name}: is complete");
            Check.That(gc.PauseDurationMSec is > 0 and < 60_000, $"{name}: pause of {gc.PauseDurationMSec} ms");
            Check.That(gc.DurationMSec is >= 0 and < 60_000, $"{name}: took {gc.DurationMSec} ms");
            Check.That(gc.HeapStats != null && gc.GlobalHeapHistory != null && gc.PerHeapHistories is { Count: > 0 }, $"{name}: statistics and histories");
            Check.Equal(1, order.Count(o => o == $"start {gc.Number} {gc.Generation} {(int)gc.Type}"), $"{name}: starts");
            Check.Equal(1, order.Count(o => o == $"end {gc.Number} {gc.Generation}"), $"{name}: ends of its generation");
        }
        foreach (Fact fact in facts)
        {
            TraceGC? gc = all.SingleOrDefault(g => g.Number == fact.Index);
            string name = $"background collection {fact.Index}";
            Check.That(gc is { Type: GCType.BackgroundGC, Generation: 2, Reason: GCReason.InducedNotForced }, $"{name} is one of generation 2 in the trace: {gc?.Type}, {gc?.Generation}, {gc?.Reason}");
            if (gc == null)
                continue;
            Check.That(gc.GlobalHeapHistory?.CondemnedGeneration == 2 && gc.GlobalHeapHistory.GlobalMechanisms.HasFlag(GCGlobalMechanisms.Concurrent), $"{name}: its history says so");
            double told = fact.FirstMs + fact.LastMs;
            Check.That(fact.FirstMs > 0 && fact.LastMs > 0, $"{name}: two pauses: {fact.FirstMs}, {fact.LastMs} ms");
            Check.Within(gc.PauseDurationMSec, told * 0.5 - 20, told * 2 + 100, $"{name}: pauses in ms");
            int start = order.IndexOf($"start {gc.Number} 2 1"), end = order.IndexOf($"end {gc.Number} 2");
            Check.That(start >= 0 && start < end, $"{name}: its start and end");
            // What starts while it lasts ends while it lasts, is young, and but for that of its first pause a foreground collection.
            for (int i = start + 1; i < end; i++)
                if (order[i].StartsWith("start", StringComparison.Ordinal))
                    Check.That(order[i].EndsWith(" 2", StringComparison.Ordinal) || (i == start + 1 && order[i].EndsWith(" 0", StringComparison.Ordinal)), $"{name}: {order[i]} comes while it lasts");
        }
        Check.That(all.Any(static g => g.Type == GCType.NonConcurrentGC && g.Generation == 2), "a blocking one too");
        Console.WriteLine($"{facts.Count} background collections");
    }
}
