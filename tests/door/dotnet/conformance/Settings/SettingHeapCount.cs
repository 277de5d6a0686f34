// A program restricted to one heap, which means one worker for a server collector.
// Rule: parallelism changes, results do not.
// Code for many workers must run with one. suite/settings.sh runs this without a number of workers.

namespace Garner.Conformance;

[Behaviour("setting-heap-count", "DOTNET_GCHeapCount=1: one heap, or as many workers as GARNER asks for, and no more threads than that", Settings = "DOTNET_GCHeapCount=0x1")]
internal static class SettingHeapCount
{
    public static void Run(TextWriter output)
    {
        string? workers = Environment.GetEnvironmentVariable("GARNER")?.Split(',').FirstOrDefault(static o => o.StartsWith("workers=", StringComparison.Ordinal));
        long expected = workers == null ? 1 : long.Parse(workers.AsSpan(8));
        GC.Collect();
        Expect.Equal(expected, (long)GC.GetConfigurationVariables()["HeapCount"]);
        int threads = 0;
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            string name = "";
            try
            {
                name = File.ReadAllText(task + "/comm").Trim();
            }
            catch (IOException)
            {
                // A thread that ended meanwhile is none of the collector's.
            }
            threads += name is ".NET GC Worker" or ".NET Server GC" ? 1 : 0;
        }
        Expect.That(threads <= expected, $"{threads} threads of the collector");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
