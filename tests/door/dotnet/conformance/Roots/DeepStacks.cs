// Recursion of tens of thousands of frames with references in each, collections at the bottom and on the way back.
// Rule: every frame of every thread is walked; time may grow with depth, memory must not be exhausted by it.
// The number of roots on one stack exceeds any fixed buffer of the collector.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-deep-stack", "20,000 frames with three references each are reported and updated, on two threads at once")]
internal static class DeepStacks
{
    private sealed class Link(int depth, Link? up) { public readonly int Depth = depth; public readonly Link? Up = up; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Down(int depth, Link up, object shared)
    {
        Link own = new(depth, up);
        string text = depth.ToString();
        int below = 0;
        if (depth > 0)
            below = Down(depth - 1, own, shared);
        else
            for (int i = 0; i < 3; i++)
            {
                Heap.Young();
                Heap.Churn(64);
                Heap.Full();
            }
        if (depth % 5000 == 4999)
            Heap.Young();
        if (own.Depth != depth || own.Up != up || text != depth.ToString() || shared is not int[])
            Expect.That(false, $"frame {depth}");
        return below + 1;
    }

    public static void Run(TextWriter output)
    {
        int depth = Work.Scaled(20_000, 1000);
        int[] frames = new int[2];
        Crew.Run(2, number => frames[number] = Down(depth, new Link(-1, null), new int[1]), 64 * 1024 * 1024);
        Expect.That(frames[0] == depth + 1 && frames[1] == depth + 1, "every frame returned");
        output.WriteLine("all frames whole");
    }
}
