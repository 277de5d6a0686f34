// The runner: `dotnet Conformance.dll list` prints one line per behaviour (name, what it proves, the environment it
// needs, whether libclrgc.so is exempt); `collector` prints the library of the collector in use; `dotnet Conformance.dll [scale=N] [count=N] NAME…` runs behaviours one after another in this process.
// A behaviour that holds prints its deterministic lines and `ok NAME`; one that does not prints what failed and the
// process ends with 1 after the last name. `scale=N` divides every workload by N (for runs under heavy stress),
// `count=N` replaces the main count of the behaviours that have one (thread churn of 100,000).

using System.Diagnostics;
using System.Reflection;

namespace Garner.Conformance;

internal static class Program
{
    private static int Main(string[] args)
    {
        SortedDictionary<string, Behaviour> behaviours = Behaviour.FindAll();
        List<Behaviour> chosen = [];
        bool timed = false;
        foreach (string arg in args)
        {
            if (arg == "list")
            {
                foreach (Behaviour behaviour in behaviours.Values)
                    Console.Out.WriteLine($"{behaviour.Name}\t{behaviour.Proves}\t{behaviour.Settings}\t{(behaviour.NotOnSegments ? "not-on-segments" : "")}");
                return 0;
            }
            if (arg == "collector")
            {
                Console.Out.WriteLine(Collector());
                return 0;
            }
            if (arg == "all")
                chosen.AddRange(behaviours.Values);
            else if (arg == "time")
                timed = true;
            else if (arg.StartsWith("scale=", StringComparison.Ordinal))
                Work.Divisor = int.Parse(arg.AsSpan(6));
            else if (arg.StartsWith("count=", StringComparison.Ordinal))
                Work.Override = int.Parse(arg.AsSpan(6));
            else if (behaviours.TryGetValue(arg, out Behaviour? behaviour))
                chosen.Add(behaviour);
            else
            {
                Console.Error.WriteLine($"conformance: no behaviour named '{arg}'; `list` names them");
                return 2;
            }
        }
        if (chosen.Count == 0)
        {
            Console.Error.WriteLine("usage: dotnet Conformance.dll list | [scale=N] [count=N] [time] NAME… | all");
            return 2;
        }

        int failed = 0;
        foreach (Behaviour behaviour in chosen)
        {
            long start = Stopwatch.GetTimestamp();
            if (!behaviour.Run(Console.Out))
                failed++;
            if (timed)
                Console.Error.WriteLine($"{Stopwatch.GetElapsedTime(start).TotalSeconds,8:F2} s  {behaviour.Name}");
        }
        return failed == 0 ? 0 : 1;
    }

    /// <summary>The file name of the collector this process runs on, as the kernel knows it; libcoreclr.so has one built in.</summary>
    private static string Collector()
    {
        foreach (string line in File.ReadLines("/proc/self/maps"))
        {
            string name = Path.GetFileName(line);
            if (name.StartsWith("libclrgc", StringComparison.Ordinal) || name.StartsWith("libgarner", StringComparison.Ordinal))
                return name;
        }
        return "libcoreclr.so";
    }
}

/// <summary>One behaviour: a static class with this attribute and a method Run(TextWriter).</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class BehaviourAttribute(string name, string proves) : Attribute
{
    public string Name => name;
    public string Proves => proves;

    /// <summary>Environment assignments, separated by blanks, that the process must be started with.</summary>
    public string Settings { get; set; } = "";

    /// <summary>The runtime's own collector with segments (libclrgc.so) does not do this; its self-check leaves it out.</summary>
    public bool NotOnSegments { get; set; }
}

internal sealed record Behaviour(string Name, string Proves, string Settings, bool NotOnSegments, Action<TextWriter> Body)
{
    public static SortedDictionary<string, Behaviour> FindAll()
    {
        SortedDictionary<string, Behaviour> all = new(StringComparer.Ordinal);
        foreach (Type type in typeof(Behaviour).Assembly.GetTypes())
        {
            if (type.GetCustomAttribute<BehaviourAttribute>() is not { } tag)
                continue;
            MethodInfo run = type.GetMethod("Run", BindingFlags.Static | BindingFlags.Public, [typeof(TextWriter)])
                ?? throw new InvalidOperationException($"{type.Name} has no Run(TextWriter)");
            all.Add(tag.Name, new Behaviour(tag.Name, tag.Proves, tag.Settings, tag.NotOnSegments, run.CreateDelegate<Action<TextWriter>>()));
        }
        return all;
    }

    public bool Run(TextWriter output)
    {
        foreach (string assignment in Settings.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] pair = assignment.Split('=', 2);
            if (Environment.GetEnvironmentVariable(pair[0]) != pair[1])
            {
                output.WriteLine($"failed {Name}: must be started with {assignment}");
                return false;
            }
        }
        Expect.Begin(output);
        try
        {
            Body(output);
        }
        catch (Exception e)
        {
            Expect.That(false, $"ended by {e.GetType().Name}: {e.Message}");
            Console.Error.WriteLine(e);
        }
        bool held = Expect.Failures == 0;
        output.WriteLine(held ? $"ok {Name}" : $"failed {Name}");
        output.Flush();
        return held;
    }
}
