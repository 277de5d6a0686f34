// Parallel.For, Parallel.ForEach, PLINQ and thread-local aggregation over allocating bodies.
// Rule: the result is that of the sequential loop.
// Partitions, local states and result buffers are allocated on one thread and finished on another.

namespace Garner.Conformance;

[Behaviour("thread-parallel-linq", "Parallel.For/ForEach and PLINQ with allocating bodies give the sequential result during collections")]
internal static class ParallelLoops
{
    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(60_000, 3000);
        using CancellationTokenSource stop = new();
        Thread collector = new(() => { while (!stop.IsCancellationRequested) { Heap.Turn(); Thread.Sleep(2); } });
        collector.Start();
        string[] texts = new string[count];
        Parallel.For(0, count, i => texts[i] = (i * 7).ToString("x"));
        long total = 0;
        Parallel.ForEach(texts, static () => new List<string>(), static (text, _, local) =>
        {
            local.Add(text + "!");
            return local;
        }, local => Interlocked.Add(ref total, local.Sum(static s => (long)s.Length)));
        Expect.Equal(texts.Sum(static t => t.Length + 1L), total);
        var groups = texts.AsParallel().GroupBy(static t => t[^1]).Select(static g => (g.Key, Count: g.Count(), Longest: g.Max(static t => t.Length)))
            .OrderBy(static g => g.Key).ToArray();
        var sequential = texts.GroupBy(static t => t[^1]).Select(static g => (g.Key, Count: g.Count(), Longest: g.Max(static t => t.Length)))
            .OrderBy(static g => g.Key).ToArray();
        Expect.That(groups.AsSpan().SequenceEqual(sequential), "grouped in parallel");
        string[] ordered = [.. texts.AsParallel().AsOrdered().Where(static t => t.Length > 3).Select(static t => t.ToUpperInvariant())];
        Expect.That(ordered.AsSpan().SequenceEqual(texts.Where(static t => t.Length > 3).Select(static t => t.ToUpperInvariant()).ToArray()), "ordered in parallel");
        stop.Cancel();
        collector.Join();
        output.WriteLine($"{groups.Length} groups");
    }
}
