// Filling the heap again and again while a finalizer does not end and others wait behind it. Each time an exception must come that can be caught, by code that allocates a little itself: what
// the collector lends to those who wait for finalizers must leave enough of what it keeps back for throwing, the last time as the first. Stock promises a handler no memory, so this is not
// among the behaviours that are compared with it.

using System.Runtime.CompilerServices;

namespace Garner.Endurance;

internal static class Stuck
{
    private sealed class Node(Node? next)
    {
        public readonly Node? Next = next;
        public readonly byte[] Payload = new byte[200];
    }

    private sealed class Waits
    {
        ~Waits()
        {
            Interlocked.Increment(ref s_begun);
            s_go.Wait();
            Interlocked.Increment(ref s_ended);
        }
    }

    private static readonly ManualResetEventSlim s_go = new(false);
    private static int s_begun, s_ended;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Waits();
    }

    /// <summary>Nodes held when memory ended; -1 where not all of them are there, or it has not ended. What the handler allocates may end in a second OutOfMemoryException.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Fill()
    {
        Node? head = null;
        int count = 0;
        try
        {
            for (; count < 10_000_000; count++)
                head = new Node(head);
            return -1;
        }
        catch (OutOfMemoryException)
        {
            string[] said = new string[10];
            for (int i = 0; i < said.Length; i++)
                said[i] = new string((char)('a' + i), 20);
            int held = 0;
            for (Node? node = head; node != null; node = node.Next)
                held++;
            return held == count && string.Concat(said).Length == 200 ? held : -1;
        }
    }

    public static void Run(int rounds)
    {
        const int Dropped = 10;
        Drop(Dropped);
        GC.Collect();
        for (int i = 0; i < 4000 && Volatile.Read(ref s_begun) == 0; i++)
            Thread.Sleep(5);
        int survived = 0;
        try
        {
            for (; survived < rounds && Fill() > 1000; survived++)
                GC.Collect();
        }
        catch (OutOfMemoryException)
        {
            // by the handler: one round fewer
        }
        Console.WriteLine($"begun {s_begun}");
        Console.WriteLine($"ended {s_ended}");
        Console.WriteLine($"survived {survived}");
        s_go.Set(); // the runtime does not end before its finalizer does
        for (int i = 0; i < 4000 && Volatile.Read(ref s_ended) < Dropped; i++)
        {
            GC.Collect();
            Thread.Sleep(5);
        }
        Console.WriteLine($"finalized {s_ended}");
    }
}
