// Effects of settings that differ from the runtime's own collector, or that a script compares between runs: how often it collects, what it keeps.

using System.Runtime.CompilerServices;

namespace Garner.Endurance;

internal static class Settings
{
    private static object? s_sink;

    /// <summary>That many MiB of garbage in arrays of so many bytes.</summary>
    public static void Garbage(int megabytes, int bytes)
    {
        for (long left = megabytes * 1024L * 1024; left > 0; left -= bytes + 24)
            s_sink = new byte[bytes];
        s_sink = null;
        Console.WriteLine($"young {GC.CollectionCount(0)}");
    }

    /// <summary>60 MiB that live until they are old, under replacement: how many full collections come by themselves.</summary>
    public static void Replace(int megabytes)
    {
        byte[][] live = new byte[60 * 1024][];
        for (int i = 0; i < live.Length; i++)
            live[i] = new byte[1000];
        GC.Collect();
        int before = GC.CollectionCount(2);
        uint dice = 1;
        for (int i = 0; i < megabytes * 1024; i++)
        {
            dice = dice * 1664525 + 1013904223;
            live[(dice >> 8) % live.Length] = new byte[1000];
        }
        Console.WriteLine($"full {GC.CollectionCount(2) - before}");
        GC.KeepAlive(live);
    }

    /// <summary>Arrays of 0.6 of the machine's memory, dead at once and never touched, while full collections are held back: how many come.</summary>
    public static void Untouched()
    {
        GC.Collect();
        int length = (int)Math.Min(Array.MaxLength, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 10 * 6 / 64), before = GC.CollectionCount(2);
        System.Runtime.GCSettings.LatencyMode = System.Runtime.GCLatencyMode.LowLatency;
        for (int i = 0; i < 4; i++)
            s_sink = new Block[length];
        Console.WriteLine($"full {GC.CollectionCount(2) - before}");
    }

    [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Size = 64)]
    private struct Block;

    /// <summary>20 MiB that live until as much again has been allocated, under collections of generation 0 on request: the largest heap that one of them left.</summary>
    public static void Queue()
    {
        byte[][] live = new byte[20 * 1024][];
        long most = 0;
        for (int i = 0; i < 40 * live.Length; i++)
        {
            live[i % live.Length] = new byte[1000];
            if (i % live.Length != 0)
                continue;
            GC.Collect(0);
            most = Math.Max(most, GC.GetGCMemoryInfo(GCKind.Any).HeapSizeBytes);
        }
        Console.WriteLine($"most {most >> 20}");
        GC.KeepAlive(live);
    }

    private sealed class Holder(object what, bool again)
    {
        private readonly object _what = what;

        ~Holder()
        {
            GC.KeepAlive(_what);
            if (again)
                GC.ReRegisterForFinalize(this);
        }
    }

    /// <summary>
    /// 280 MiB die unseen beside 20 that live, and then nothing happens for so many seconds: what is resident afterwards, and how often it was collected meanwhile.
    /// With one finalizer it is that which holds them; a second one makes itself work for the next collection, each time. Of several rests, with work between them, the last is told.
    /// </summary>
    public static void Idle(int seconds, bool collect, int finalizers, int rests)
    {
        byte[][]? all = new byte[280 * 1024][];
        byte[][] live = new byte[20 * 1024][];
        for (int i = 0; i < all.Length; i++)
            all[i] = new byte[1000];
        for (int i = 0; i < live.Length; i++)
            live[i] = all[i * 14];
        if (collect)
            GC.Collect();
        GC.KeepAlive(all);
        Hold(all, finalizers);
        all = null;
        for (; rests > 1; rests--)
        {
            Thread.Sleep(seconds * 1000);
            for (int i = 0; i < 40_000; i++)
                s_sink = new byte[500];
            GC.Collect(0);
        }
        int before = GC.CollectionCount(0);
        Thread.Sleep(seconds * 1000);
        Console.WriteLine($"rested {Resident()}");
        Console.WriteLine($"collections {GC.CollectionCount(0) - before}");
        GC.KeepAlive(live);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Hold(object what, int finalizers)
    {
        if (finalizers > 0)
            GC.KeepAlive(new Holder(what, false));
        if (finalizers > 1)
            GC.KeepAlive(new Holder("", true));
    }

    private static long Resident() // MiB
    {
        string line = File.ReadLines("/proc/self/status").First(static l => l.StartsWith("VmRSS:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) >> 10;
    }

    /// <summary>What is resident after so much has lived, been moved together by a full collection and died, and an aggressive one.</summary>
    public static void Aggressive(int megabytes)
    {
        Lived(megabytes);
        GC.Collect(2, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        Thread.Sleep(500);
        Console.WriteLine($"resident {Resident()}");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Lived(int megabytes)
    {
        byte[]?[] all = new byte[megabytes * 1024][];
        for (int i = 0; i < all.Length; i++)
            all[i] = new byte[1000];
        for (int i = 0; i < all.Length; i += 3)
            all[i] = null;
        GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        GC.KeepAlive(all);
    }

    /// <summary>What stays committed after 400 MiB have died, and so many full collections that what is kept for growth as it was before has gone too.</summary>
    public static void Release()
    {
        byte[][]? all = new byte[400 * 1024][];
        for (int i = 0; i < all.Length; i++)
            all[i] = new byte[1000];
        GC.Collect();
        all = null;
        for (int i = 0; i < 12; i++)
            GC.Collect();
        Console.WriteLine($"kept {GC.GetGCMemoryInfo().TotalCommittedBytes >> 20}");
    }
}
