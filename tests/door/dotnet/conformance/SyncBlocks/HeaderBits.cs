// Three threads that change one object's header: one suppresses and registers its finalizer, one locks it, one takes identity hashes.
// Rule: GC.SuppressFinalize and GC.ReRegisterForFinalize touch their bit only; locks and hashes beside it are the runtime's.
// The collector sets that bit while other threads compare-and-swap the same word: a plain read and write undoes what they did.

using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("sync-header-bits", "SuppressFinalize and ReRegisterForFinalize beside locks and identity hashes on the same object: no lock or hash is lost")]
internal static class HeaderBits
{
    private static int s_finalized;

    private sealed class Finalizable
    {
        ~Finalizable() => Interlocked.Increment(ref s_finalized);
    }

    // False when the lock stays taken although nobody holds it.
    private static bool Lock(object o)
    {
        bool taken = false;
        Monitor.TryEnter(o, 5000, ref taken);
        if (taken)
            Monitor.Exit(o);
        return taken;
    }

    private static void LockOne(int times)
    {
        Finalizable shared = new();
        bool over = false;
        Crew.Run(2, number =>
        {
            try
            {
                if (number == 0)
                    for (int i = 0; i < times; i++)
                    {
                        GC.SuppressFinalize(shared);
                        GC.ReRegisterForFinalize(shared);
                    }
                else
                    while (!Volatile.Read(ref over))
                        if (!Lock(shared))
                            throw new TimeoutException("a lock that nobody holds cannot be taken");
            }
            finally
            {
                Volatile.Write(ref over, true);
            }
        });
        Expect.That(Lock(shared), "after the fight the lock is free");
        GC.SuppressFinalize(shared);
    }

    private static void HashMany(int count, bool locked)
    {
        Finalizable[] fresh = [.. Enumerable.Range(0, count).Select(static _ => new Finalizable())];
        int[] hashes = new int[count];
        using Barrier together = new(locked ? 3 : 2);
        Crew.Run(locked ? 3 : 2, number =>
        {
            together.SignalAndWait();
            for (int i = 0; i < fresh.Length; i++)
                if (number == 0)
                {
                    GC.SuppressFinalize(fresh[i]);
                    GC.ReRegisterForFinalize(fresh[i]);
                    GC.SuppressFinalize(fresh[i]);
                }
                else if (number == 1)
                    hashes[i] = RuntimeHelpers.GetHashCode(fresh[i]);
                else if (!Lock(fresh[i]))
                    throw new TimeoutException("a lock that nobody holds cannot be taken");
        });
        int changed = 0;
        for (int i = 0; i < count; i++)
            if (RuntimeHelpers.GetHashCode(fresh[i]) != hashes[i])
                changed++;
        Expect.Equal(0, changed, "identity hashes that changed");
    }

    public static void Run(TextWriter output)
    {
        s_finalized = 0;
        Stopwatch time = Stopwatch.StartNew();
        TimeSpan bound = TimeSpan.FromSeconds(Work.Divisor > 1 ? 0.3 : 1.2);
        for (int round = 0; round == 0 || (time.Elapsed < bound && Expect.Failures == 0); round++)
        {
            LockOne(Work.Scaled(50_000, 1000));
            HashMany(Work.Scaled(20_000, 1000), locked: round % 2 == 1);
        }
        Heap.Settle();
        Expect.Equal(0, Volatile.Read(ref s_finalized), "objects finalized although suppressed last");
        output.WriteLine("locks and hashes are whole");
    }
}
