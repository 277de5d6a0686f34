// Handles whose target is changed by many threads: assignments through GCHandle, exchanges through the atomic operations of the
// typed weak and strong ones, while collections run.
// Rule: a handle store is seen by the next collection, whichever thread made it and however old the handle is.
// The collector writes the same slots to move targets; a lost update would bring back an old target.

namespace Garner.Conformance;

[Behaviour("handle-stores-threads", "handle targets set from several threads during collections are the last ones set")]
internal static class HandleStores
{
    private sealed class Item(int thread, int number) { public readonly int Thread = thread, Number = number; }

    public static void Run(TextWriter output)
    {
        const int Threads = 4;
        int count = 200, rounds = Work.Scaled(200, 10);
        System.Runtime.InteropServices.GCHandle[] handles = new System.Runtime.InteropServices.GCHandle[Threads * count];
        for (int i = 0; i < handles.Length; i++)
            handles[i] = System.Runtime.InteropServices.GCHandle.Alloc(null, i % 3 == 0 ? System.Runtime.InteropServices.GCHandleType.Weak : System.Runtime.InteropServices.GCHandleType.Normal);
        Crew.Run(Threads + 1, number =>
        {
            if (number == Threads)
            {
                for (int i = 0; i < Work.Scaled(60, 6); i++)
                    Heap.Turn();
                return;
            }
            Item[] kept = new Item[count];
            for (int round = 0; round < rounds; round++)
                for (int i = 0; i < count; i++)
                {
                    int at = i * Threads + number;
                    if (round > 0 && handles[at].Target is not Item { } item)
                        Expect.That(false, $"handle {at} holds a target");
                    else if (round > 0 && handles[at].Target != kept[i])
                        Expect.That(false, $"handle {at} holds the last target set");
                    kept[i] = new Item(number, round);
                    handles[at].Target = kept[i];
                }
            GC.KeepAlive(kept);
        });
        Heap.Full();
        for (int i = 0; i < handles.Length; i++)
        {
            if (i % 3 != 0)
                Expect.That(handles[i].Target is Item item && item.Thread == i % Threads && item.Number == rounds - 1, $"handle {i} at the end");
            handles[i].Free();
        }
        output.WriteLine($"{handles.Length} handles");
    }
}
