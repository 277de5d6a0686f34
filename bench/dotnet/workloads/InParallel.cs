// Parallel LINQ with the number of threads that a workload is asked for.

namespace Garner.Bench;

internal static class InParallel
{
    // GroupBy and the joins make all parts of a query meet half way. A pool with fewer threads than parts would add the missing ones only after half
    // a second each, so it is told beforehand.
    public static void Prepare(int threads)
    {
        ThreadPool.GetMinThreads(out int workers, out int completions);
        ThreadPool.SetMinThreads(Math.Max(workers, threads + 1), completions);
    }

    // Forced, because LINQ runs some shapes of query on one thread that are to be run on all.
    public static ParallelQuery<T> Of<T>(IEnumerable<T> source, int threads) =>
        source.AsParallel().WithDegreeOfParallelism(threads).WithExecutionMode(ParallelExecutionMode.ForceParallelism);
}
