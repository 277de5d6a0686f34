// Memory held, churned and filled up, with what the collector believes it may use and what the system saw.

using System.Runtime.InteropServices;

namespace Garner.Endurance;

internal static class Memory
{
    private static long PeakBytes()
    {
        string line = File.ReadLines("/proc/self/status").First(static l => l.StartsWith("VmHWM:", StringComparison.Ordinal));
        return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1]) * 1024;
    }

    private static void Report()
    {
        GC.Collect();
        Console.WriteLine($"available {GC.GetGCMemoryInfo().TotalAvailableMemoryBytes}");
        Console.WriteLine($"peak {PeakBytes()}");
    }

    /// <summary>About that many MiB live, that many replaced.</summary>
    public static void Hold(int live, int churn)
    {
        if (live > 0)
        {
            Table table = new(live * 1024 / Table.EntryBytes * 1024, 1);
            table.Replace((int)((long)churn * 1024 * 1024 / Table.EntryBytes));
            Console.WriteLine($"checksum {table.Sum:x16}");
        }
        Report();
    }

    private sealed class Finalized
    {
        public static int Count;

        ~Finalized() => Count++;
    }

    /// <summary>That many finalizable objects alive at a time, then finalized: the collector's own lists of them count as memory too.</summary>
    public static int Finalizable(int count)
    {
        Make(count);
        for (int i = 0; i < 10 && Finalized.Count < count; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Console.WriteLine($"finalized {Finalized.Count}");
        Report();
        return Finalized.Count == count ? 0 : 1;

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static void Make(int count)
        {
            Finalized[] all = new Finalized[count];
            for (int i = 0; i < count; i++) all[i] = new Finalized();
            GC.KeepAlive(all);
        }
    }

    private sealed class Link(Link? next)
    {
        public static int Count;
        public readonly Link? Next = next;

        ~Link() => Count++;
    }

    /// <summary>Small finalizable objects until nothing is left; then all of them are finalized, and that again. Of what there is a quarter is the collector's list of them.</summary>
    public static int CrowdOfFinalizable(int rounds)
    {
        int all = 0, survived = 0;
        for (int round = 0; round < rounds; round++)
        {
            int made = Make();
            all += made;
            survived += made > 0 ? 1 : 0;
            for (int i = 0; i < 10 && Link.Count < all; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }
        Console.WriteLine($"survived {survived}");
        Console.WriteLine($"forgotten {all - Link.Count}");
        Console.WriteLine($"most {all / rounds}");
        Report();
        return 0;

        // How many there were when memory ended; -1: it did not, or one is missing.
        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static int Make()
        {
            Link? chain = null;
            int made = 0;
            try
            {
                for (; made < 20_000_000; made++) chain = new Link(chain);
                return -1;
            }
            catch (OutOfMemoryException)
            {
                int counted = 0;
                for (Link? link = chain; link != null; link = link.Next) counted++;
                return counted == made ? made : -1;
            }
        }
    }

    private sealed class Waiting
    {
        public readonly byte[] Body = new byte[1000];
        ~Waiting() => s_ran++;
    }

    /// <summary>What it refers to lives until its finalizer has ended, which takes a while.</summary>
    private sealed class Holder
    {
        public List<byte[]>? Body = [];
        ~Holder() => Thread.Sleep(20);
    }

    private static long s_ran;

    private static void FillByOne(long bytes)
    {
        Holder holder = new();
        for (long filled = 0; filled < bytes; filled += 1024) holder.Body!.Add(new byte[1000]);
        GC.KeepAlive(holder);
    }

    /// <summary>Memory is full of objects that are dead but for their finalizers: how often something large is refused then.</summary>
    public static void FullOfFinalizable(int rounds)
    {
        int refused = 0;
        List<Waiting> kept = new(1 << 18);
        for (int round = 0; round < rounds; round++)
        {
            try
            {
                while (kept.Count < 1 << 18) kept.Add(new Waiting()); // 270 MB: the limit is far below
            }
            catch (OutOfMemoryException)
            {
            }
            kept.Clear();
            try
            {
                GC.KeepAlive(new byte[800_000]);
            }
            catch (OutOfMemoryException)
            {
                refused++;
            }
        }
        // One object that keeps most of it.
        for (int round = 0; round < rounds; round++)
        {
            try
            {
                FillByOne(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes * 6 / 10);
                GC.KeepAlive(new byte[GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 2]);
            }
            catch (OutOfMemoryException)
            {
                refused++;
            }
        }
        Console.WriteLine($"refused {refused}");
    }

    /// <summary>What is free when handles come, which no collection makes room for: bytes that the process grows by for that many mebibytes of them.</summary>
    public static void Handles(int live, int mebibytes)
    {
        byte[][] kept = new byte[live * 1024][];
        for (int i = 0; i < kept.Length; i++) kept[i] = new byte[1000];
        for (int round = 0; round < 2; round++) // memory that has been used, and is free
        {
            List<byte[]> more = [];
            long room = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes * 8 / 10 - live * 1024L * 1024;
            for (long bytes = 0; bytes < room; bytes += 1000) more.Add(new byte[1000]);
            GC.KeepAlive(more);
            more = [];
            GC.Collect();
        }
        object target = new();
        long before = Environment.WorkingSet;
        for (int i = 0; i < mebibytes * 128 * 1024; i++) GCHandle.Alloc(target, GCHandleType.Weak);
        Console.WriteLine($"grown {Environment.WorkingSet - before}");
        GC.KeepAlive(kept);
        Report();
    }

    /// <summary>Keeps what it allocates until nothing is left, lets go, and works on; twice, small objects and large ones.</summary>
    public static int Fill()
    {
        foreach (int size in new[] { 1000, 1_000_000 })
        {
            List<byte[]>? kept = new(1 << 22); // its growth is no part of this
            long bytes = 0;
            try
            {
                while (bytes < 1L << 30) // the limits of the rows are far below: a broken one must not fill the machine
                {
                    byte[] made = new byte[size];
                    for (int i = 0; i < size; i += 4096)
                        made[i] = 1; // resident, whatever the collector thinks of it
                    kept.Add(made);
                    bytes += size;
                }
                Console.WriteLine("never out of memory");
                return 1;
            }
            catch (OutOfMemoryException)
            {
                kept = null;
            }
            Console.WriteLine($"filled {bytes}");
        }
        Table table = new(1000, 2);
        table.Replace(200_000);
        Console.WriteLine($"checksum {table.Sum:x16}");
        Report();
        return 0;
    }
}
