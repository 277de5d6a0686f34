// What a thread of a workload made of trees reports: how long each tree took, the sum over their checksums, how many there were.

namespace Garner.Bench;

internal readonly record struct Grown(Latencies Latencies, ulong Sum, long Trees)
{
    public static Grown Together(Grown[] parts) =>
        new(Latencies.Merged(parts.Select(part => part.Latencies)), parts.Aggregate(0UL, (sum, part) => sum + part.Sum), parts.Sum(part => part.Trees));
}
