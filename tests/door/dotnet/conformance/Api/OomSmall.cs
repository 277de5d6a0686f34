// Filling the heap with small objects (lists, strings, arrays) under a hard limit until it is full.
// Rule: as for large ones: an exception that can be caught, everything allocated so far is intact, and memory comes back.
// A copying collector needs room to copy into: near the limit it must do without, and must not fail half-way through a copy.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("api-oom-small", "under a 120 MB hard limit millions of small objects end in OutOfMemoryException, all intact, and memory comes back", Settings = "DOTNET_GCHeapHardLimit=0x7800000")]
internal static class OomSmall
{
    private const long Limit = 0x7800000;

    // 200 bytes of payload; a scaled-down run has fewer, larger objects, since the amount is given by the limit.
    private static readonly int s_payload = Work.Divisor > 1 ? 4000 : 200;

    private sealed class Node(int number, Node? next) { public readonly int Number = number; public readonly Node? Next = next; public readonly byte[] Payload = new byte[s_payload]; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Fill()
    {
        Node? head = null;
        int count = 0;
        try
        {
            for (; count < 10_000_000; count++)
                head = new Node(count, head);
            return long.MaxValue;
        }
        catch (OutOfMemoryException)
        {
            int expected = count;
            for (Node? node = head; node != null; node = node.Next)
                if (node.Number != --expected || node.Payload.AsSpan().ContainsAnyExcept((byte)0))
                    return -1;
            return expected == 0 ? count * (56L + s_payload) : -1;
        }
    }

    public static void Run(TextWriter output)
    {
        int rounds = Work.Divisor > 1 ? 1 : 3;
        for (int round = 0; round < rounds; round++)
        {
            long bytes = Fill();
            Expect.That(bytes > 0 && bytes <= Limit, $"the list is whole and within the limit in round {round}");
            Heap.Settle();
            List<string> after = [];
            for (int i = 0; i < 1000; i++)
                after.Add(i.ToString());
            Expect.Equal("999", after[999]);
        }
        output.WriteLine($"{rounds} rounds");
    }
}
