// Filling the heap three times in one process, under a hard limit that the program has set itself, while it ran.
// Rule: each time an exception that can be caught, by code that allocates a little itself while everything is still held. Throwing takes memory at the very moment when there
// is none, so a little of the limit is kept back for it, of a new limit too; the third time there must be as much of it as the first.

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
        AppContext.SetData("GCHeapHardLimit", 96_000_000UL);
        GC.RefreshMemoryLimit();
        for (int round = 0; round < 3; round++)
        {
            (int held, int length) = Fill();
            Expect.That(held > 1000, $"memory has ended in round {round}, with much held");
            Expect.Equal(200, length);
            Heap.Settle();
        }
        output.WriteLine("3 rounds");
    }
}
