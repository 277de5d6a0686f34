// Several threads store young references into the same old array, each slot owned by one thread, while collections go on.
// Rule: barrier marks of different threads never cancel each other.
// Cards are bytes or bits shared by neighbouring slots; a non-atomic bit update, or a card cleared while it is being set, loses one.

namespace Garner.Conformance;

[Behaviour("card-threads", "four threads storing into neighbouring slots of one old array lose no reference during collections")]
internal static class ThreadedStores
{
    public static void Run(TextWriter output)
    {
        const int Threads = 4, Length = 4096;
        object?[] shared = new object?[Length];
        Heap.Age(shared);
        int rounds = Work.Scaled(300, 20);
        Crew.Run(Threads + 1, number =>
        {
            if (number == Threads)
            {
                for (int i = 0; i < Work.Scaled(60, 6); i++)
                    Heap.Turn();
                return;
            }
            for (int round = 1; round <= rounds; round++)
            {
                for (int i = number; i < Length; i += Threads * 4)
                    shared[i] = new int[] { i, round };
                for (int i = number; i < Length; i += Threads * 4)
                    Expect.That(shared[i] is int[] pair && pair[0] == i && pair[1] == round, $"slot {i}");
            }
        });
        Heap.Young();
        for (int i = 0; i < Length; i++)
            if (i % 16 < Threads)
                Expect.That(shared[i] is int[] pair && pair[0] == i && pair[1] == rounds, $"slot {i} at the end");
        output.WriteLine("nothing lost");
    }
}
