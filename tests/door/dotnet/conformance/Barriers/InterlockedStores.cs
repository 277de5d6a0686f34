// Interlocked.Exchange and CompareExchange of references, Volatile.Write, and ref-returned slots, with old targets and young values.
// Rule: atomic stores of references carry a write barrier too, and the comparison is by identity although objects move.
// The atomic store and the barrier are two steps; a collection cannot come between them, whatever thread asks for one.

namespace Garner.Conformance;

[Behaviour("card-interlocked", "Interlocked and Volatile stores of references into old objects, alone and against collecting threads")]
internal static class InterlockedStores
{
    private sealed class Node(int number, Node? next) { public readonly int Number = number; public readonly Node? Next = next; }
    private sealed class Slot { public long Gap; public Node? Head; public object? Any; }

    public static void Run(TextWriter output)
    {
        Slot[] slots = new Slot[64];
        for (int i = 0; i < slots.Length; i++)
            slots[i] = new Slot();
        Heap.Age(slots);
        Heap.Age(slots[^1]);
        for (int round = 0; round < 20; round++)
        {
            foreach (Slot slot in slots)
            {
                Node fresh = new(round, null);
                Node? before = Interlocked.Exchange(ref slot.Head, fresh);
                Expect.That(round == 0 ? before == null : before!.Number == round - 1, "Exchange returns what was there");
                Volatile.Write(ref slot.Any, round.ToString());
                Expect.Same(fresh, Interlocked.CompareExchange(ref slot.Head, new Node(-1, null), null));
            }
            Heap.Young();
            foreach (Slot slot in slots)
            {
                Expect.Equal(round, slot.Head!.Number);
                Expect.Equal(round.ToString(), (string)Volatile.Read(ref slot.Any)!);
                Node head = slot.Head;
                Heap.Young();
                Expect.Same(head, Interlocked.CompareExchange(ref slot.Head, new Node(round, null), head));
            }
        }
        // A lock-free stack per slot: threads push, one collects; nothing may be lost.
        foreach (Slot slot in slots)
            slot.Head = null;
        const int Threads = 4;
        int pushes = Work.Scaled(20_000, 1000);
        Crew.Run(Threads + 1, number =>
        {
            if (number == Threads)
            {
                for (int i = 0; i < 30; i++)
                    Heap.Turn();
                return;
            }
            for (int i = 0; i < pushes; i++)
            {
                Slot slot = slots[i % slots.Length];
                Node? head;
                Node fresh;
                do
                {
                    head = Volatile.Read(ref slot.Head);
                    fresh = new Node(number * pushes + i, head);
                }
                while (Interlocked.CompareExchange(ref slot.Head, fresh, head) != head);
            }
        });
        Heap.Young();
        HashSet<int> seen = [];
        foreach (Slot slot in slots)
            for (Node? node = slot.Head; node != null; node = node.Next)
                seen.Add(node.Number);
        Expect.Equal(Threads * pushes, seen.Count, "pushed nodes");
        output.WriteLine("nothing lost");
    }
}
