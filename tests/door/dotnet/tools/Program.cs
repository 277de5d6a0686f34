// Tests of the platform's own tools on a program that runs on Garner, or on stock where no library is named.
// Usage: dotnet Tools.dll MODE ARGUMENTS…; each mode that tests ends with "ok" or "failed" and prints only what stock prints too.
//   session LIB DIR | background LIB DIR | read TRACE FACTS PROFILE | graph LIB | counters LIB | meters | benchmark | dump FILE HEAP
//   target FACTS [wait] | background-target FACTS | shape | steady | crash     the programs that are watched
// The watcher itself always runs on the runtime's own collector unless the caller says otherwise: LIB is given to the watched program only.
namespace Garner.Tools;

internal static class Program
{
    private static int Main(string[] a) => a switch
    {
        ["target", string facts, .. string[] more] => Target.Run(facts, more.Contains("wait")),
        ["shape"] => Shape.Run(),
        ["steady"] => Counters.Steady(),
        ["crash"] => Dump.Crash(),
        ["session", string lib, string dir] => Session.Run(lib, dir),
        ["read", string trace, string facts, string profile] => Check.Verdict(() => Trace.Examine(trace, Facts.Read(facts), profile == "gc-verbose")),
        ["background", string lib, string dir] => Background.Run(lib, dir),
        ["background-target", string facts] => Background.Target(facts),
        ["graph", string lib] => Check.Verdict(() => Graph.Run(lib)),
        ["counters", string lib] => Check.Verdict(() => Counters.Run(lib)),
        ["meters"] => Check.Verdict(Meters.Run),
        ["benchmark"] => Check.Verdict(Benchmarks.Run),
        ["dump", string file, string heap] => Check.Verdict(() => Dump.Read(file, heap == "heap")),
        _ => throw new ArgumentException($"unknown mode: {string.Join(' ', a)}"),
    };
}

/// <summary>Counts what does not hold; every failure is a line of its own.</summary>
internal static class Check
{
    private static int s_failed;

    public static void That(bool holds, string what)
    {
        if (holds)
            return;
        s_failed++;
        Console.WriteLine($"failed: {what}");
    }

    public static void Equal<T>(T expected, T found, string what) =>
        That(EqualityComparer<T>.Default.Equals(expected, found), $"{what}: {found}, expected {expected}");

    public static void Within(double found, double least, double most, string what) =>
        That(found >= least && found <= most, $"{what}: {found}, expected from {least} to {most}");

    public static int Verdict(Action test)
    {
        test();
        Console.WriteLine(s_failed == 0 ? "ok" : "failed");
        return s_failed == 0 ? 0 : 1;
    }
}
