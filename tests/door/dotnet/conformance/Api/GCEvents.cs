// Events of the collector through an EventListener: start and end of each collection, in pairs, with heap statistics.
// Rule: GCStart and GCEnd carry the same number; each collection has one of each, in order.
// The collector fires these itself; every monitoring tool lives on them.

using System.Diagnostics.Tracing;

namespace Garner.Conformance;

[Behaviour("api-events-gc", "an EventListener on the runtime's GC keyword receives GCStart/GCEnd pairs and heap statistics that count what survived")]
internal static class GCEvents
{
    private sealed class Listener : RuntimeListener
    {
        public readonly List<(string Name, uint Number, uint Depth)> Log = [];
        public int Statistics;
        public ulong YoungSurvived, OldSurvived, LargeSurvived, Finalizing, FinalizingBytes; // the most that was reported

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            if (e.EventName == null)
                return;
            if (e.EventName.StartsWith("GCHeapStats", StringComparison.Ordinal))
            {
                ulong Of(string field) => NumberOf(e, field);
                ulong young = Of("TotalPromotedSize0") + Of("TotalPromotedSize1");
                YoungSurvived = Heap.Forced ? YoungSurvived + young : Math.Max(YoungSurvived, young); // forced ones find what is made alive part by part
                OldSurvived = Math.Max(OldSurvived, Of("TotalPromotedSize2"));
                LargeSurvived = Math.Max(LargeSurvived, Of("TotalPromotedSize3"));
                Finalizing = Math.Max(Finalizing, Of("FinalizationPromotedCount"));
                FinalizingBytes = Math.Max(FinalizingBytes, Of("FinalizationPromotedSize"));
                Interlocked.Increment(ref Statistics);
            }
            if (e.EventName.StartsWith("GCStart", StringComparison.Ordinal) || (e.EventName.StartsWith("GCEnd", StringComparison.Ordinal) && !e.EventName.Contains("NoGC", StringComparison.Ordinal)))
                lock (Log)
                    Log.Add((e.EventName.StartsWith("GCStart", StringComparison.Ordinal) ? "start" : "end", (uint)e.Payload![0]!, (uint)e.Payload[1]!));
        }

        public int Ends(uint depth)
        {
            lock (Log)
                return Log.Count(l => l.Name == "end" && l.Depth >= depth);
        }
    }

    private sealed class Finalizable
    {
        private readonly byte[] _body = new byte[100];
        ~Finalizable() => GC.KeepAlive(_body);
    }

    private static void MakeFinalizable()
    {
        for (int i = 0; i < 1000; i++)
            _ = new Finalizable();
    }

    public static void Run(TextWriter output)
    {
        using Listener listener = new();
        Heap.Wait(() => { GC.Collect(0); return listener.Ends(0) > 0; });
        int full = listener.Ends(2), all = listener.Ends(0);
        for (int i = 0; i < 5; i++)
        {
            Heap.Churn(64);
            GC.Collect(i % 3);
            GC.Collect();
        }
        byte[][] live = [];
        for (int i = 0; i < 5; i++)
        {
            live = [.. Enumerable.Range(0, 2000).Select(static _ => new byte[1000]), new byte[200_000]];
            Heap.Apart(MakeFinalizable);
            GC.Collect(0); // the first finds what is young alive
            GC.Collect(1);
            GC.Collect();
        }
        Expect.That(Heap.Wait(() => listener.YoungSurvived >= 1_000_000), $"what survives young collections is counted: {listener.YoungSurvived}");
        Expect.That(Heap.Wait(() => listener.OldSurvived >= 2_000_000), $"what survives full collections is counted: {listener.OldSurvived}");
        Expect.That(Heap.Wait(() => listener.LargeSurvived >= 200_000), $"large objects too: {listener.LargeSurvived}");
        Expect.That(Heap.Wait(() => listener.Finalizing > 0 && listener.FinalizingBytes >= 24), $"and what waits for its finalizer: {listener.Finalizing}, {listener.FinalizingBytes} bytes");
        GC.KeepAlive(live);
        Expect.That(Heap.Wait(() => listener.Ends(2) >= full + 5 && listener.Ends(0) >= all + 10), "ten collections were reported, five of them full");
        Expect.That(Heap.Wait(() => Volatile.Read(ref listener.Statistics) > 5), "heap statistics were reported");
        lock (listener.Log)
        {
            Dictionary<uint, uint> open = [];
            int pairs = 0;
            foreach ((string name, uint number, uint depth) in listener.Log)
                if (name == "start")
                    Expect.That(open.TryAdd(number, depth), $"collection {number} starts once");
                else if (open.Remove(number, out uint started))
                {
                    Expect.Equal(started, depth, $"generation of collection {number} at its end");
                    pairs++;
                }
            Expect.That(pairs >= 10, "ten pairs");
        }
        output.WriteLine("pairs");
    }
}
