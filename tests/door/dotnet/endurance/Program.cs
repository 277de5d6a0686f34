// What a suite script measures from outside: a program that holds and churns memory, one that fills it up, one with millions of finalizers, one whose
// finalizer does not end, one that dies, one that shows its collector's threads, some that show
// what a setting does, one that is shot at with signals, and one whose graph is known.
// `dotnet Endurance.dll NAME key=value …`; each prints `name value` lines.

using System.Globalization;

namespace Garner.Endurance;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        Dictionary<string, int> given = arguments.Skip(1).Select(a => a.Split('=')).ToDictionary(p => p[0], p => int.Parse(p[1]));
        int Of(string key, int otherwise) => given.TryGetValue(key, out int value) ? value : otherwise;
        switch (arguments.FirstOrDefault())
        {
            case "hold": Memory.Hold(Of("live", 0), Of("churn", 0)); return 0;
            case "fill": return Memory.Fill();
            case "processors": Console.WriteLine(Environment.ProcessorCount); return 0;
            case "workers": Workers.Show(Of("entries", 100_000)); return 0;
            case "garbage": Settings.Garbage(Of("mb", 100), Of("bytes", 500)); return 0;
            case "replace": Settings.Replace(Of("mb", 100)); return 0;
            case "untouched": Settings.Untouched(); return 0;
            case "release": Settings.Release(); return 0;
            case "idle": Settings.Idle(Of("seconds", 4), Of("collect", 1) != 0, Of("finalizers", 0), Of("rests", 1)); return 0;
            case "aggressive": Settings.Aggressive(Of("mb", 1000)); return 0;
            case "queue": Settings.Queue(); return 0;
            case "finalizable": return Memory.Finalizable(Of("count", 2_000_000));
            case "crowded": return Memory.CrowdOfFinalizable(Of("rounds", 3));
            case "handles": Memory.Handles(Of("live", 20), Of("mb", 20)); return 0;
            case "finalized": Memory.FullOfFinalizable(Of("rounds", 20)); return 0;
            case "stuck": Stuck.Run(Of("rounds", 5)); return 0;
            case "promised": Promised.Run(); return 0;
            case "crash": Memory.Hold(20, 0); throw new InvalidOperationException("as asked");
            case "signals": return Signals.Storm(Of("count", 10_000), Of("rounds", 3));
            case "graph": return Graph.Run(Of("nodes", 0), Of("threads", 3), Of("handles", 0), Of("garbage", 0), Of("end", 0) switch { 1 => "crash", 2 => "exit", 3 => "loop", _ => "" });
            default: Console.Error.WriteLine("Endurance hold|fill|finalizable|crowded|handles|finalized|stuck|promised|crash|processors|workers|garbage|replace|untouched|release|idle|aggressive|queue|signals|graph [key=value …]"); return 2;
        }
    }
}

/// <summary>A table of small objects and strings under replacement: what lives is known, and so is its checksum.</summary>
internal sealed class Table(int entries, ulong seed)
{
    private sealed class Entry(ulong value, Entry? next, byte[] body)
    {
        public readonly ulong Value = value;
        public readonly string Text = value.ToString();
        public readonly Entry? Next = next;
        public readonly byte[] Body = body;
    }

    private const int BodyBytes = 200;
    public const int EntryBytes = 340; // entry, text and body with their headers; what only a neighbour still names lives too, up to half as much again

    private readonly Entry?[] _entries = new Entry?[entries];
    private ulong _state = seed * 0x9E3779B97F4A7C15UL | 1, _sum = seed;

    private ulong Next()
    {
        _state ^= _state >> 12;
        _state ^= _state << 25;
        _state ^= _state >> 27;
        return _state * 0x2545F4914F6CDD1DUL;
    }

    /// <summary>Replaces that many entries; every replaced one must be what was stored.</summary>
    public void Replace(int count)
    {
        for (int i = 0; i < count; i++)
        {
            ulong value = Next();
            ref Entry? place = ref _entries[(int)(value >> 33) % _entries.Length];
            if (place is { } old)
            {
                if (old.Text != old.Value.ToString() || old.Body[(int)(old.Value % BodyBytes)] != (byte)old.Value)
                    throw new InvalidOperationException($"entry {old.Value} is damaged");
                _sum = (_sum ^ old.Value ^ (old.Next?.Value ?? 0)) * 0xBF58476D1CE4E5B9UL;
            }
            byte[] body = new byte[BodyBytes];
            body[(int)(value % BodyBytes)] = (byte)value;
            // The neighbour it names must not name another one, or everything would live.
            Entry? neighbour = _entries[(int)(Next() >> 33) % _entries.Length];
            place = new Entry(value, neighbour?.Next == null ? neighbour : null, body);
        }
    }

    public ulong Sum => _sum;
}
