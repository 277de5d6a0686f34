// The share of time in collections that counters show (System.Runtime's time-in-gc).
// Rule: of the time between the ends of the last two collections, the percentage that the last one took.
// An average over the whole life of the process would hide what happens now.

using System.Reflection;

namespace Garner.Conformance;

[Behaviour("api-last-gc-share", "time-in-gc is of the last collection: high when collections follow each other, low after a time without any")]
internal static class LastShare
{
    private sealed class Node(Node? next)
    {
        public readonly Node? Next = next;
        public readonly object Body = new();
    }

    public static void Run(TextWriter output)
    {
        MethodInfo? method = typeof(GC).GetMethod("GetLastGCPercentTimeInGC", BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public);
        Expect.That(method != null, "the runtime has the method that its counter asks");
        Func<int> share = method!.CreateDelegate<Func<int>>();
        Node? live = null;
        for (int i = Work.Scaled(300_000, 100_000); i > 0; i--)
            live = new Node(live);
        int highest = 0, lowest = 100;
        for (int i = 0; i < 3; i++)
        {
            Thread.Sleep(200);
            GC.Collect(0);
            lowest = Math.Min(lowest, share());
        }
        for (int i = 0; i < 5; i++)
        {
            Heap.Full();
            Heap.Full(); // nothing but the collection lies between the two ends
            highest = Math.Max(highest, share());
        }
        Expect.That(lowest is >= 0 and < 40, $"after 200 ms without any: {lowest} %");
        Expect.That(highest is >= 50 and <= 100, $"after collections in a row: {highest} %");
        GC.KeepAlive(live);
        output.WriteLine("of the last");
    }
}
