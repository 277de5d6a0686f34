// Threads with a stack of 128 KB that allocate, collect in every mode and wait for finalizers.
// Rule: a collection asked for by a thread must not need more stack than a thread may have.
// Collecting on the requesting thread with deep recursion or large local buffers overflows here.

namespace Garner.Conformance;

[Behaviour("thread-small-stack", "threads with 128 KB of stack may collect, allocate large objects and run deep graphs through the collector")]
internal static class SmallStacks
{
    private sealed class Node(Node? next) { public Node? Next = next; }

    public static void Run(TextWriter output)
    {
        int length = Work.Scaled(50_000, 2000);
        for (int round = 0; round < 3; round++)
            Crew.Run(4, number =>
            {
                Node? head = null;
                for (int i = 0; i < length; i++)
                    head = new Node(head);
                byte[] large = new byte[200_000];
                GC.Collect(number % 3);
                Heap.Full();
                GC.WaitForPendingFinalizers();
                int count = 0;
                for (Node? node = head; node != null; node = node.Next)
                    count++;
                Expect.Equal(length, count);
                Expect.Equal(200_000, large.Length);
            }, 128 * 1024);
        output.WriteLine("12 threads");
    }
}
