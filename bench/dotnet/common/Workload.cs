// What a workload is: a name, its parameters, and a run of fixed work that returns how many operations it did, how long each took and a checksum
// that depends on all of them. Check.That is how a workload notices, while it runs, that an object is not what it stored.

namespace Garner.Bench;

internal abstract class Workload
{
    public abstract string Name { get; }

    // One sentence for `list`: what it stresses in a collector.
    public abstract string Stresses { get; }

    public abstract Parameter[] Parameters { get; }

    public abstract Outcome Run(Parameters parameters);

    // For `list`: the name with its parameters and their defaults, then a line for each.
    public void Describe(TextWriter to)
    {
        to.WriteLine($"{Name} {string.Join(' ', Parameters.Select(p => p.Shown))}");
        to.WriteLine($"    {Stresses}");
        foreach (Parameter parameter in Parameters) to.WriteLine($"    {parameter.Name,-12} {parameter.Meaning} ({parameter.Range})");
    }

    // Work is cut into this many lanes whatever the number of threads: each lane has its own random stream and touches only its own data, and
    // a thread works on the lanes t, t+threads, t+2*threads … in turns. So the result is the same for every number of threads and every
    // interleaving.
    protected const int LaneCount = 32;

    protected interface ILane
    {
        void Step();

        // Looks at everything the lane holds; its share of the checksum.
        ulong Verify();
    }

    // `operations` steps in all, as many in each lane.
    protected static Outcome RunLanes<T>(int threads, long operations, Func<int, T> make) where T : ILane
    {
        long perLane = Math.Max(1, operations / LaneCount);
        T[] all = [.. Enumerable.Range(0, LaneCount).Select(make)];
        Latencies latencies = Latencies.Merged(Crew.Run(threads, t =>
        {
            Latencies mine = new();
            int[] lanes = LanesOf(t, threads);
            long time = Latencies.Now();
            for (long i = 0; i < perLane; i++)
            {
                foreach (int lane in lanes)
                {
                    all[lane].Step();
                    time = mine.Since(time);
                }
            }
            return mine;
        }));
        Digest digest = default;
        foreach (T lane in all) digest.Add(lane.Verify());
        return new Outcome(perLane * LaneCount, latencies, digest.Value);
    }

    protected static int[] LanesOf(int thread, int threads)
    {
        int first = thread, count = 0;
        for (int lane = first; lane < LaneCount; lane += threads) count++;
        int[] lanes = new int[count];
        for (int i = 0; i < count; i++) lanes[i] = first + i * threads;
        return lanes;
    }
}

// Figures: what only this workload can tell of the collector, as members of a JSON object.
internal readonly record struct Outcome(long Operations, Latencies Latencies, ulong Checksum, string? Figures = null);

internal sealed class CorruptionError(string message) : Exception(message);

internal static class Check
{
    public static void That(bool holds, string otherwise)
    {
        if (!holds) throw new CorruptionError(otherwise);
    }
}
