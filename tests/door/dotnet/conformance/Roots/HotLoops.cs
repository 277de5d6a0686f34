// Long loops that are compiled anew while they run (on-stack replacement, tiering), with references in registers and collections
// from another thread at arbitrary points.
// Rule: a thread can be stopped at any safe point of fully compiled code; live registers are known there.
// Return addresses are hijacked, frames are replaced: references held in callee-saved registers are easy to miss.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-hot-loops", "references in registers of hot loops, through tiering and on-stack replacement, while another thread collects")]
internal static class HotLoops
{
    private sealed class Node(int value, Node? next) { public int Value = value; public Node? Next = next; }

    public static void Run(TextWriter output)
    {
        using CancellationTokenSource stop = new();
        Thread collector = new(() => { while (!stop.IsCancellationRequested) { Heap.Turn(); Thread.Yield(); } });
        collector.Start();
        long[] sums = new long[3];
        Crew.Run(3, number =>
        {
            Node ring = Ring(200);
            sums[number] = Walk(ring, Work.Scaled(1_000_000, 100_000)) + Rotate(ring, Work.Scaled(30_000, 3000));
        });
        stop.Cancel();
        collector.Join();
        Expect.That(sums[0] == sums[1] && sums[1] == sums[2], "three threads, one result");
        output.WriteLine(sums[0]);
    }

    private static Node Ring(int count)
    {
        Node first = new(0, null);
        Node head = first;
        for (int i = 1; i < count; i++)
            head = new Node(i, head);
        first.Next = head;
        return head;
    }

    // No call and no allocation: the loop must be interruptible for all that.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Walk(Node node, int steps)
    {
        long sum = 0;
        Node trail = node;
        for (int i = 0; i < steps; i++)
        {
            sum += node.Value ^ i;
            if ((i & 1) == 0)
                trail = trail.Next!;
            node = node.Next!;
        }
        return sum + trail.Value;
    }

    // Every step replaces a node by a fresh one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Rotate(Node node, int steps)
    {
        long sum = 0;
        for (int i = 0; i < steps; i++)
        {
            Node next = node.Next!;
            node.Next = new Node(next.Value + 1, next.Next);
            sum += node.Next.Value;
            node = node.Next;
        }
        return sum;
    }
}
