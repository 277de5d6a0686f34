// A histogram of latencies in nanoseconds: log-linear buckets, 32 to each power of two, so a percentile is off by at most 3 %; the maximum is
// exact. One array, allocated before the work begins: recording never allocates. Each thread has its own and they are merged at the end.

using System.Diagnostics;
using System.Numerics;

namespace Garner.Bench;

internal sealed class Latencies
{
    private const int SubBits = 5;
    private const int Sub = 1 << SubBits;

    private readonly long[] buckets = new long[(64 - SubBits + 1) * Sub];
    private long count;
    private long maxNs;

    public static long Now() => Stopwatch.GetTimestamp();

    // Records the time since `start` and returns the present, which is the start of the next operation: back-to-back operations need one clock
    // reading each, and no pause can fall between two of them unseen.
    public long Since(long start)
    {
        long now = Now();
        Record((now - start) * (1_000_000_000 / Stopwatch.Frequency));
        return now;
    }

    public void Record(long ns)
    {
        if (ns < 0) ns = 0;
        buckets[IndexOf(ns)]++;
        count++;
        if (ns > maxNs) maxNs = ns;
    }

    public static Latencies Merged(IEnumerable<Latencies> parts)
    {
        Latencies all = new();
        foreach (Latencies part in parts) all.Merge(part);
        return all;
    }

    private void Merge(Latencies other)
    {
        for (int i = 0; i < buckets.Length; i++) buckets[i] += other.buckets[i];
        count += other.count;
        maxNs = Math.Max(maxNs, other.maxNs);
    }

    public double MaxMicroseconds => maxNs / 1000.0;

    public double PercentileMicroseconds(double percent)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(count * percent / 100));
        long seen = 0;
        for (int i = 0; i < buckets.Length; i++)
        {
            seen += buckets[i];
            if (seen >= wanted) return Math.Min(UpperEdge(i), maxNs) / 1000.0;
        }
        return maxNs / 1000.0;
    }

    private static int IndexOf(long ns)
    {
        if (ns < Sub) return (int)ns;
        int shift = BitOperations.Log2((ulong)ns) - SubBits;
        return (shift + 1) * Sub + (int)((ns >> shift) - Sub);
    }

    private static long UpperEdge(int index)
    {
        if (index < Sub) return index;
        int shift = index / Sub - 1;
        return ((long)(index % Sub + Sub + 1) << shift) - 1;
    }
}
