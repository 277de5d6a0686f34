// What behaviours do to the heap: collect in the ways a program can ask for, make garbage, wait for something to die, look at
// an address. Nothing here assumes how a collector works: conditions are waited for over a bounded number of collections.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

internal static class Heap
{
    private static object? s_sink;
    private static uint s_turn;

    /// <summary>Full, blocking, compacting: whatever can move may have moved afterwards.</summary>
    public static void Full() => GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);

    public static void Young() => GC.Collect(0);

    /// <summary>One collection; over many calls generations 0, 1 and 2 take turns (young ones most often).</summary>
    public static void Turn()
    {
        switch (Interlocked.Increment(ref s_turn) % 6)
        {
            case 0: Full(); break;
            case 3: GC.Collect(1); break;
            default: GC.Collect(0); break;
        }
    }

    /// <summary>Collects until nothing is left to finalize and everything dead is gone.</summary>
    public static void Settle()
    {
        for (int i = 0; i < 3; i++)
        {
            Full();
            GC.WaitForPendingFinalizers();
        }
        Full();
    }

    /// <summary>Collects until the condition holds; false when it never did.</summary>
    public static bool Until(Func<bool> condition, int rounds = 100)
    {
        for (int i = 0; i < rounds; i++)
        {
            if (condition())
                return true;
            Full();
            GC.WaitForPendingFinalizers();
            if (i > 10)
                Thread.Sleep(10);
        }
        return condition();
    }

    /// <summary>Waits for something that needs no collection; false after about 20 seconds.</summary>
    public static bool Wait(Func<bool> condition)
    {
        for (int i = 0; i < 4000; i++)
        {
            if (condition())
                return true;
            Thread.Sleep(5);
        }
        return condition();
    }

    /// <summary>Collects until the object is in the oldest generation, as far as the collector will have it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Age(object o)
    {
        for (int i = 0; i < 30 && GC.GetGeneration(o) < GC.MaxGeneration; i++)
            Full();
    }

    /// <summary>Makes about that many KiB of garbage in objects of 24 to 2,000 bytes; all memory is made dirty.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Churn(int kilobytes)
    {
        Dice dice = new((ulong)kilobytes + 7);
        object?[] recent = new object?[64];
        for (long left = Work.Scaled(kilobytes, 64) * 1024L; left > 0;)
        {
            int length = dice.Below(100) < 90 ? dice.Below(200) : dice.Below(2000);
            byte[] bytes = new byte[length];
            bytes.AsSpan().Fill(0xA5);
            recent[dice.Below(recent.Length)] = dice.Below(2) == 0 ? bytes : new Pair(bytes, recent[0]);
            if (dice.Below(64) == 0)
                recent.AsSpan().Clear();
            left -= length + 24;
        }
        s_sink = recent;
        s_sink = null;
    }

    /// <summary>Whether a stress setting forces collections: then more come than the collector would choose.</summary>
    public static bool Forced => Environment.GetEnvironmentVariable("GARNER")?.Contains("stress_every", StringComparison.Ordinal) ?? false;

    /// <summary>Whether this process runs on Garner: for what stock does only mostly.</summary>
    public static bool OnGarner => GC.GetConfigurationVariables().ContainsKey("GarnerPreset");

    /// <summary>Whether Garner is asked, in so many words, to mark old objects beside the program, whatever gcConcurrent says.</summary>
    public static bool MarksBeside => Environment.GetEnvironmentVariable("GARNER")?.Contains("marking=concurrent", StringComparison.Ordinal) ?? false;

    /// <summary>Makes that many MiB of garbage in small objects; the number of collections that came meanwhile.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Garbage(int megabytes)
    {
        int before = GC.CollectionCount(0);
        for (long left = megabytes * 1024L * 1024; left > 0; left -= 528)
            s_sink = new byte[500];
        s_sink = null;
        return GC.CollectionCount(0) - before;
    }

    /// <summary>The object's address now. Only for comparing while nothing can move it, or for pinned objects.</summary>
    public static nuint Address(object o) => Unsafe.As<object, nuint>(ref o);

    /// <summary>Runs the action in a frame of its own, so that nothing of it stays alive in the caller's frame.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Apart(Action action) => action();

    private sealed record Pair(object? First, object? Second);
}

/// <summary>Threads that hand their first exception back to whoever joins them.</summary>
internal static class Crew
{
    public static void Run(int threads, Action<int> body, int stackBytes = 0)
    {
        Exception? first = null;
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int number = i;
            all[i] = new Thread(() =>
            {
                try
                {
                    body(number);
                }
                catch (Exception e)
                {
                    Interlocked.CompareExchange(ref first, e, null);
                }
            }, stackBytes);
            all[i].Start();
        }
        foreach (Thread thread in all)
            thread.Join();
        if (first != null)
            throw new InvalidOperationException($"a thread ended by {first.GetType().Name}: {first.Message}", first);
    }
}
