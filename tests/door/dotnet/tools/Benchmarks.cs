// BenchmarkDotNet's MemoryDiagnoser: bytes per operation, which must be stock's to the byte, and the columns of collections.
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;

namespace Garner.Tools;

public class Allocations
{
    private sealed class Node
    {
        public Node? Next;
        public long Value;
    }

    [Benchmark] public object Nothing() => this;
    [Benchmark] public object Bytes1000() => new byte[1000];
    [Benchmark] public object Large() => new byte[100_000];
    [Benchmark] public object List() => new List<int> { 1, 2, 3, 4, 5 };
    [Benchmark] public string Text() => string.Concat("some", DateTime.UnixEpoch.Year.ToString(), "text");

    [Benchmark]
    public object Chain()
    {
        Node? first = null;
        for (int i = 0; i < 10; i++)
            first = new Node { Next = first, Value = i };
        return first!;
    }
}

internal static class Benchmarks
{
    public static void Run()
    {
        // Here and not in a program of its own: building one takes longer than all the rest. So many operations that generation 0 is collected.
        Job job = Job.Default.WithToolchain(InProcessNoEmitToolchain.Instance).WithInvocationCount(65_536).WithUnrollFactor(16).WithIterationCount(2).WithWarmupCount(1);
        IConfig config = ManualConfig.CreateEmpty().AddJob(job).AddDiagnoser(MemoryDiagnoser.Default).AddColumnProvider(DefaultColumnProviders.Instance).AddLogger(NullLogger.Instance)
            .WithArtifactsPath(Path.Combine(Path.GetTempPath(), $"garner-benchmarks-{Environment.ProcessId}"));
        Summary summary = BenchmarkRunner.Run<Allocations>(config);
        Check.Equal(6, summary.Reports.Length, "benchmarks that ran");
        foreach (BenchmarkReport report in summary.Reports)
        {
            string name = report.BenchmarkCase.Descriptor.WorkloadMethod.Name;
            long bytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? -1;
            if (name == "Large")
                Check.Within(bytes, 100_024, 100_224, "bytes of a large array"); // what the harness allocates beside is spread over the operations
            else
                Console.WriteLine($"{name}: {bytes} B/op");
            if (name == "Bytes1000")
                Check.That(report.GcStats.Gen0Collections > 0, "generation 0 was collected");
            if (name == "Large")
                Check.That(report.GcStats.Gen2Collections > 0, "generation 2 was collected");
        }
        Console.WriteLine(string.Join(' ', summary.Table.Columns.Where(static c => c.NeedToShow).Select(static c => c.Header).Where(static h => h.StartsWith("Gen", StringComparison.Ordinal) || h == "Allocated")));
    }
}
