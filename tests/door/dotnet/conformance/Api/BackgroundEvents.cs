// The events of a background collection, through an EventListener.
// Rule: GCStart of generation 2 with type 1 and a number of its own; collections that start before its GCEnd are young and have their own pairs; its history says that it was
// concurrent; the program is suspended twice at least.
// Monitors take every start without an end for a collection that hangs, and every suspension for a pause of the collection around it.

using System.Diagnostics.Tracing;

namespace Garner.Conformance;

[Behaviour("api-background-events", "a background collection starts and ends once, as type 1 of generation 2, with young collections in between and a concurrent history", Settings = Background.On)]
internal static class BackgroundEvents
{
    private sealed class Listener : RuntimeListener
    {
        public readonly List<(string Name, uint Number, uint Depth, uint Type)> Log = [];

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            uint Of(string field) => checked((uint)NumberOf(e, field));
            (string, uint, uint, uint)? seen = e.EventName switch
            {
                "GCStart_V2" => ("start", Of("Count"), Of("Depth"), Of("Type")),
                "GCEnd_V1" => ("end", Of("Count"), Of("Depth"), 0),
                "GCGlobalHeapHistory_V4" => ("history", 0, Of("CondemnedGeneration"), Of("GlobalMechanisms")),
                "GCSuspendEEBegin_V1" when Of("Reason") is 1 or 6 => ("suspend", 0, 0, 0), // for a collection, or for a part of one
                "GCRestartEEEnd_V1" => ("restart", 0, 0, 0),
                _ => null,
            };
            if (seen is { } one)
                lock (Log)
                    Log.Add(one);
        }

        public (string Name, uint Number, uint Depth, uint Type)[] Copy()
        {
            lock (Log)
                return [.. Log];
        }
    }

    public static void Run(TextWriter output)
    {
        Background.KeepMuch();
        GC.Collect();
        using Listener listener = new();
        Heap.Wait(() => { GC.Collect(0); return listener.Copy().Any(static e => e.Name == "end"); });
        for (int round = 0; round < 4; round++)
        {
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
            for (int i = 0; i < 3; i++)
                GC.Collect(0);
            Expect.That(Background.Collect() || Heap.Forced, "one comes to its end"); // forced full collections give it up
            Thread.Sleep(50);
        }
        GC.Collect(); // stock waits for what is under way, Garner gives it up: nothing is open afterwards
        long last = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index; // events come late
        (string Name, uint Number, uint Depth, uint Type)[] log = [];
        Expect.That(Heap.Wait(() => listener.Copy().Any(e => e.Name == "end" && e.Number >= last)), "the last one's events come");
        Expect.That(Heap.Wait(() => (log = listener.Copy()).Where(static e => e.Name == "start").Select(static e => e.Number).Except(log.Where(static e => e.Name == "end").Select(static e => e.Number)).Count() == 0), "all that was told to start was told to end");
        // Stock tells some as background ones that it then makes with the program stopped; its history says so.
        uint[] told = [.. log.Where((e, at) => e is ("start", _, _, 1) && (Heap.OnGarner || log.Skip(at).FirstOrDefault(static h => h is ("history", _, 2, _)).Type % 2 == 1)).Select(static e => e.Number)];
        foreach (uint number in told)
        {
            int start = Array.FindIndex(log, e => e.Name == "start" && e.Number == number), end = Array.FindIndex(log, e => e.Name == "end" && e.Number == number);
            Expect.That(start >= 0 && start < end, $"{number} starts and ends");
            if (start < 0 || end < start)
                continue;
            Expect.Equal((2u, 1u), (log[start].Depth, log[start].Type), "generation and type at the start");
            Expect.Equal(2u, log[end].Depth, "generation at the end");
            Expect.That(log[start..end].Count(static e => e.Name == "restart") >= 2, "the program goes on twice before the end");
            foreach ((string name, uint inner, uint depth, uint type) in log[(start + 1)..end])
                Expect.That(name != "start" || (depth < 2 && type is 0 or 2 && inner > number) || Heap.Forced, $"{inner} of generation {depth}, type {type}, starts while {number} lasts");
        }
        foreach (var one in log.Where(static e => e.Name == "start"))
        {
            Expect.Equal(1, log.Count(e => e.Name == "start" && e.Number == one.Number), $"starts of {one.Number}");
            Expect.Equal(1, log.Count(e => e.Name == "end" && e.Number == one.Number && e.Depth == one.Depth), $"ends of {one.Number}");
        }
        Expect.That(!Heap.OnGarner || Heap.Forced || told.Length >= 4, "four background collections at least");
        Expect.That(log.Count(static e => e.Name == "history" && e.Depth == 2 && (e.Type & 1) != 0) >= told.Length, "each has a concurrent history");
        output.WriteLine("in pairs");
    }
}
