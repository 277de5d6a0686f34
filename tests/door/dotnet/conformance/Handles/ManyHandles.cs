// A hundred thousand handles of mixed kinds at once, thinned out, refilled and freed.
// Rule: there is no limit on the number of handles; their memory is found again when they are freed.
// Tables grow in segments while collections run; each live slot is visited once per collection, each dead one never.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-100k", "100,000 handles of mixed kinds keep their targets while half of them are freed and made again")]
internal static class ManyHandles
{
    private sealed class Item(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(100_000, 4000);
        GCHandle[] handles = new GCHandle[count];
        object[] kept = new object[count];
        for (int i = 0; i < count; i++)
            Make(i);
        for (int round = 0; round < 3; round++)
        {
            Heap.Turn();
            Verify();
            for (int i = round % 2; i < count; i += 2)
            {
                handles[i].Free();
                handles[i] = default;
            }
            Heap.Turn();
            for (int i = round % 2; i < count; i += 2)
                Make(i);
        }
        Heap.Full();
        Verify();
        foreach (GCHandle handle in handles)
            handle.Free();
        Heap.Full();
        output.WriteLine("all in place");

        void Make(int i)
        {
            GCHandleType type = i % 16 == 0 ? GCHandleType.Pinned : (GCHandleType)(i % 3);
            kept[i] = type == GCHandleType.Pinned ? new int[] { i } : new Item(i);
            handles[i] = GCHandle.Alloc(kept[i], type);
        }

        void Verify()
        {
            for (int i = 0; i < count; i++)
                if (handles[i].Target != kept[i] || (kept[i] is Item item ? item.Number : ((int[])kept[i])[0]) != i)
                    Expect.That(false, $"handle {i}");
        }
    }
}
