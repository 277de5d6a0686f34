// A singly linked list of a million nodes, reachable from its head only, and a doubly linked one.
// Rule: tracing needs no stack in proportion to the depth of the graph.
// A recursive marker overflows the native stack; a depth-first copier needs an explicit, growing stack.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-deep-list", "linked lists of 1,000,000 nodes survive young and full collections (no recursion in tracing)")]
internal static class DeepList
{
    private sealed class Single { public Single? Next; public int Number; }
    private sealed class Double { public Double? Next, Previous; public int Number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(1_000_000, 20_000);
        Single? head = Build(count);
        Heap.Young();
        Verify(head, count);
        Heap.Full();
        Verify(head, count);

        Double first = new();
        Double last = first;
        for (int i = 1; i < count / 4; i++)
        {
            last.Next = new Double { Previous = last, Number = i };
            last = last.Next;
        }
        // Only the tail is kept: the whole list is reached backwards.
        first = null!;
        Heap.Turn();
        Heap.Full();
        int number = count / 4;
        for (Double? node = last; node != null; node = node.Previous)
            if (node.Number != --number || (node.Next != null && node.Next.Previous != node))
                Expect.That(false, $"node {number}");
        Expect.Equal(0, number);
        output.WriteLine("both lists whole");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Single? Build(int count)
    {
        Single? head = null;
        for (int i = 0; i < count; i++)
            head = new Single { Next = head, Number = i };
        return head;
    }

    private static void Verify(Single? node, int count)
    {
        for (int i = count - 1; i >= 0; i--, node = node.Next)
            if (node == null || node.Number != i)
            {
                Expect.That(false, $"node {i} of the list");
                return;
            }
        Expect.That(node == null, "end of the list");
    }
}
