// Filling the heap three times in one process, under a hard limit that the program has set itself, while it ran.
// Rule: each time an exception that can be caught, by code that allocates a little itself while everything is still held. Throwing takes memory at the very moment when there
// is none, so a little of the limit is kept back for it, of a new limit too; the third time there must be as much of it as the first.
// Stock keeps nothing back: whether its handler can allocate hangs on what the last allocation context has left (alone it can, two processes at a time mostly not), so there
// only the rounds and what is held are asked for.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-oom-refreshed", "under a 96 MB limit that GC.RefreshMemoryLimit has taken over, memory ends three times in OutOfMemoryException, and its handler can allocate", NotOnSegments = true)]
internal static class OomRefreshed
{
    private sealed class Node(Node? next) { public readonly Node? Next = next; public readonly byte[] Payload = new byte[Work.Divisor > 1 ? 4000 : 200]; }

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
            int length = Say();
            int held = 0;
            for (Node? node = head; node != null; node = node.Next)
                held++;
            Expect.Equal(count, held);
            return (held, length);
        }
    }

    private const int Strings = 10, Letters = 20;
    private static readonly bool s_keptBack = Heap.OnGarner; // asked before memory ends: asking allocates

    // What a handler does that tells of the end of memory. Returns the letters it has told.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Say()
    {
        try
        {
            string[] said = new string[Strings];
            for (int i = 0; i < said.Length; i++)
                said[i] = new string((char)('a' + i), Letters);
            return string.Concat(said).Length;
        }
        catch (OutOfMemoryException) when (!s_keptBack)
        {
            return Strings * Letters;
        }
    }

    public static void Run(TextWriter output)
    {
        RuntimeHelpers.RunClassConstructor(typeof(OomRefreshed).TypeHandle);
        AppContext.SetData("GCHeapHardLimit", 96_000_000UL);
        GC.RefreshMemoryLimit();
        for (int round = 0; round < 3; round++)
        {
            (int held, int length) = Fill();
            Expect.That(held > 1000, $"memory has ended in round {round}, with much held");
            Expect.Equal(Strings * Letters, length);
            Heap.Settle();
        }
        output.WriteLine("3 rounds");
    }
}
