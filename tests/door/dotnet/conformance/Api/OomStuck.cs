// Filling the heap again and again under a hard limit while a finalizer does not end and others wait behind it.
// Rule: each time an exception that can be caught, by code that allocates a little itself. A collector may hope that finalizers let go of something, and lend what it keeps back
// meanwhile; what it keeps back for throwing must still be there when nothing comes of it, the last time as the first.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-oom-stuck", "under a 96 MB hard limit, with a finalizer that does not end and others behind it, memory ends five times in OutOfMemoryException, and its handler can allocate", Settings = "DOTNET_GCHeapHardLimit=0x6000000")]
internal static class OomStuck
{
    private sealed class Node(Node? next) { public readonly Node? Next = next; public readonly byte[] Payload = new byte[Work.Divisor > 1 ? 4000 : 200]; }

    private static readonly ManualResetEventSlim s_go = new(false);
    private static int s_begun, s_ended;

    private sealed class Stuck
    {
        ~Stuck()
        {
            Interlocked.Increment(ref s_begun);
            s_go.Wait();
            Interlocked.Increment(ref s_ended);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop()
    {
        for (int i = 0; i < 10; i++)
            _ = new Stuck();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (int Held, int Length) Fill()
    {
        Node? head = null;
        int count = 0;
        try
        {
            for (; count < 10_000_000; count++)
                head = new Node(head);
            return (-1, -1);
        }
        catch (OutOfMemoryException)
        {
            string[] said = new string[10];
            for (int i = 0; i < said.Length; i++)
                said[i] = new string((char)('a' + i), 20);
            int held = 0;
            for (Node? node = head; node != null; node = node.Next)
                held++;
            Expect.Equal(count, held);
            return (held, string.Concat(said).Length);
        }
    }

    public static void Run(TextWriter output)
    {
        Drop();
        Heap.Full();
        Expect.That(Heap.Wait(() => Volatile.Read(ref s_begun) == 1), "the first finalizer has begun");
        try
        {
            for (int round = 0; round < 5; round++)
            {
                (int held, int length) = Fill();
                Expect.That(held > 1000, $"memory has ended in round {round}, with much held");
                Expect.Equal(200, length);
                Heap.Full();
            }
            Expect.Equal(0, Volatile.Read(ref s_ended));
        }
        finally
        {
            s_go.Set(); // the runtime does not end before its finalizer does
        }
        Expect.That(Heap.Until(() => Volatile.Read(ref s_ended) == 10), "all have been finalized once they could be");
        output.WriteLine("5 rounds");
    }
}
