// Runs one workload and prints its one line of JSON; turns every kind of failure into one line on stderr and an exit code:
// 0 done, 1 something unforeseen, 2 bad parameters, 3 out of memory, 4 a damaged or lost object.

using System.Globalization;
using System.Text;

namespace Garner.Bench;

internal static class Report
{
    private const int Unforeseen = 1, BadParameters = 2, NoMemory = 3, Corrupted = 4;

    public static int Run(Workload workload, IEnumerable<string> arguments)
    {
        // Opened and encoded now: when memory has run out there may be none left to build a sentence with.
        Stream errors = Console.OpenStandardError();
        byte[] outOfMemory = Encoding.UTF8.GetBytes($"{workload.Name}: out of memory\n");
        try
        {
            Parameters parameters = new(workload.Name, workload.Parameters, arguments);
            string line = Measure(workload, parameters);
            Console.Out.WriteLine(line);
            Console.Out.Flush();
            return 0;
        }
        catch (Exception e) when (IsOutOfMemory(e))
        {
            errors.Write(outOfMemory);
            return NoMemory;
        }
        catch (UsageError e)
        {
            Complain(e.Message);
            return BadParameters;
        }
        catch (Exception e) when (Within<CorruptionError>(e) is { } corruption)
        {
            Complain($"{workload.Name}: corrupted: {corruption.Message}");
            return Corrupted;
        }
        catch (Exception e)
        {
            Complain($"{workload.Name}: {e.GetType().Name}: {e.Message.ReplaceLineEndings(" ")} {FirstFrame(e)}");
            return Unforeseen;
        }
    }

    public static int Usage(string message)
    {
        Complain(message);
        return BadParameters;
    }

    // Libraries wrap it: a static constructor in TypeInitializationException, tasks in AggregateException.
    public static bool IsOutOfMemory(Exception? e) => Within<OutOfMemoryException>(e) != null;

    // Looks at the first of several wrapped ones only: the list of the others is allocated when it is asked for.
    private static T? Within<T>(Exception? e) where T : Exception
    {
        for (; e != null; e = e.InnerException)
            if (e is T found) return found;
        return null;
    }

    public static string Quote(string text)
    {
        StringBuilder quoted = new("\"");
        foreach (char c in text)
        {
            if (c is '"' or '\\') quoted.Append('\\').Append(c);
            else if (c < ' ') quoted.Append("\\u").Append(((int)c).ToString("x4"));
            else quoted.Append(c);
        }
        return quoted.Append('"').ToString();
    }

    private static string Measure(Workload workload, Parameters parameters)
    {
        PauseWatch watch = new();
        long start = Latencies.Now();
        Outcome outcome = workload.Run(parameters);
        double seconds = (Latencies.Now() - start) / (double)System.Diagnostics.Stopwatch.Frequency;
        TimeSpan longestPause = watch.Stop();
        // The collector's figures cover the process from its start to here: setting up and verifying are work too.
        int[] counts = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)];
        TimeSpan pauses = GC.GetTotalPauseDuration();
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        long peak = PeakResidentBytes();

        Latencies l = outcome.Latencies;
        StringBuilder json = new();
        json.Append("{\"workload\":").Append(Quote(workload.Name));
        json.Append(",\"parameters\":{").AppendJoin(',', parameters.AsJson().Select(p => $"{Quote(p.Name)}:{p.Json}")).Append('}');
        json.Append(CultureInfo.InvariantCulture, $",\"operations\":{outcome.Operations},\"seconds\":{seconds:F4}");
        json.Append(CultureInfo.InvariantCulture, $",\"latency_us\":{{\"p50\":{l.PercentileMicroseconds(50):F2},\"p90\":{l.PercentileMicroseconds(90):F2}");
        json.Append(CultureInfo.InvariantCulture, $",\"p99\":{l.PercentileMicroseconds(99):F2},\"p99.9\":{l.PercentileMicroseconds(99.9):F2},\"max\":{l.MaxMicroseconds:F2}}}");
        json.Append(CultureInfo.InvariantCulture, $",\"checksum\":\"{outcome.Checksum:x16}\"");
        json.Append(CultureInfo.InvariantCulture, $",\"gc\":{{\"counts\":[{counts[0]},{counts[1]},{counts[2]}],\"pause_total_ms\":{pauses.TotalMilliseconds:F3}");
        json.Append(CultureInfo.InvariantCulture, $",\"pause_max_ms\":{longestPause.TotalMilliseconds:F3},\"total_allocated_bytes\":{allocated},\"peak_rss_bytes\":{peak}}}");
        if (outcome.Figures != null) json.Append(",\"figures\":{").Append(outcome.Figures).Append('}');
        json.Append('}');
        return json.ToString();
    }

    // VmHWM: the highest resident set the kernel has seen. 0 where /proc does not have it.
    private static long PeakResidentBytes()
    {
        try
        {
            foreach (string line in File.ReadLines("/proc/self/status"))
                if (line.StartsWith("VmHWM:", StringComparison.Ordinal))
                    return long.Parse(line.AsSpan(6, line.Length - 6 - 2).Trim(), CultureInfo.InvariantCulture) * 1024;
        }
        catch (IOException)
        {
        }
        return 0;
    }

    private static string FirstFrame(Exception e)
    {
        string trace = e.StackTrace ?? "";
        int end = trace.IndexOf('\n');
        return (end < 0 ? trace : trace[..end]).Trim();
    }

    private static void Complain(string message) => Console.Error.WriteLine(message);
}
