// Sessions over the diagnostics port, opened as monitors do it: start the watched program, wait until it is ready, open, let it go on, read to the end.
using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;

namespace Garner.Tools;

/// <summary>A watched program: this one, in another mode, on the collector LIB or on the runtime's own ("stock").</summary>
internal sealed class Watched : IDisposable
{
    private readonly Process _process;

    public Watched(string lib, params string[] mode)
    {
        ProcessStartInfo start = new("dotnet", [Environment.GetCommandLineArgs()[0], .. mode]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment.Remove("DOTNET_GCPath");
        if (lib != "stock")
            start.Environment["DOTNET_GCPath"] = lib;
        _process = Process.Start(start)!;
        Check.Equal("ready", Read(), "the watched program's first line");
    }

    public int Id => _process.Id;
    public string? Read() => _process.StandardOutput.ReadLine();
    public void GoOn() => _process.StandardInput.WriteLine();

    public void Dispose()
    {
        try
        {
            GoOn();
        }
        catch (IOException)
        {
            // It has ended already, as a program does whose session was read to the end.
        }
        if (!_process.WaitForExit(120_000))
            _process.Kill();
        Check.Equal(0, _process.ExitCode, "the watched program's exit code");
        _process.Dispose();
    }
}

internal static class Session
{
    public static int Run(string lib, string dir)
    {
        string trace = Path.Combine(dir, "session.nettrace"), facts = Path.Combine(dir, "session.json");
        using (Watched program = new(lib, "target", facts, "wait"))
        {
            EventPipeProvider gc = new("Microsoft-Windows-DotNETRuntime", System.Diagnostics.Tracing.EventLevel.Verbose, 1);
            using EventPipeSession session = new DiagnosticsClient(program.Id).StartEventPipeSession(gc, requestRundown: false, circularBufferMB: 64);
            using FileStream file = File.Create(trace);
            program.GoOn();
            session.EventStream.CopyTo(file); // ends with the program
        }
        return Check.Verdict(() => Trace.Examine(trace, Facts.Read(facts), verbose: true));
    }

    /// <summary>Opens a session and hands the events to `watch`'s callbacks until `done` says that nothing more is wanted.</summary>
    public static void Process(int id, EventPipeProvider provider, Action<EventPipeEventSource> watch, Func<bool> done)
    {
        using EventPipeSession session = new DiagnosticsClient(id).StartEventPipeSession(provider, requestRundown: false, circularBufferMB: 64);
        using EventPipeEventSource source = new(session.EventStream);
        watch(source);
        bool stopped = false;
        source.AllEvents += _ =>
        {
            if (stopped || !done())
                return;
            stopped = true;
            Task.Run(session.Stop);
        };
        Task reading = Task.Run(source.Process);
        Check.That(reading.Wait(120_000), "the session ends within two minutes");
    }
}
