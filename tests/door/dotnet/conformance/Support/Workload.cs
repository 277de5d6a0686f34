// One mixed workload for the behaviours that run under a setting: small and large objects, old and young, pins, handles, weak
// references, finalizers, threads. Gives the same checksum under every setting and collector.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

internal static class Workload
{
    private static int s_finalized;

    private sealed class Item(int number, object? next)
    {
        public readonly int Number = number;
        public readonly string Text = number.ToString();
        public readonly object? Next = next;
        ~Item() => Interlocked.Increment(ref s_finalized);
    }

    public static ulong Run(int threads = 3)
    {
        s_finalized = 0;
        ulong[] sums = new ulong[threads];
        Crew.Run(threads, number => sums[number] = One(number));
        ulong all = 0;
        foreach (ulong sum in sums)
            all = Work.Mix(all, sum);
        Expect.That(Heap.Until(() => Volatile.Read(ref s_finalized) > 0, 20), "something was finalized");
        return all;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong One(int number)
    {
        Dice dice = new((ulong)number + 40);
        Item?[] items = new Item?[3000];
        byte[]?[] buffers = new byte[]?[200];
        GCHandle[] pins = new GCHandle[20];
        Dictionary<string, Item> table = [];
        ConditionalWeakTable<Item, string> notes = [];
        ulong sum = 0;
        int steps = Work.Scaled(30_000, 1500);
        for (int i = 0; i < steps; i++)
        {
            int slot = dice.Below(items.Length);
            Item made = new(i, dice.Below(4) == 0 ? items[dice.Below(items.Length)]?.Text : null);
            if (items[slot] is { } old)
            {
                sum = Work.Mix(sum, (ulong)old.Number);
                sum = Work.Mix(sum, old.Text);
                if (old.Next is string next)
                    sum = Work.Mix(sum, next);
                if (!notes.TryGetValue(old, out string? note) || note != old.Text + "!")
                    Expect.That(false, $"note of item {old.Number}");
                table.Remove(old.Text);
            }
            items[slot] = made;
            table[made.Text] = made;
            notes.Add(made, made.Text + "!");
            if (i % 20 == 0)
            {
                int at = dice.Below(buffers.Length);
                if (buffers[at] is { } buffer && buffer.AsSpan().ContainsAnyExcept((byte)at))
                    Expect.That(false, $"buffer {at}");
                buffers[at] = new byte[dice.Below(50) == 0 ? 90_000 + dice.Below(50_000) : dice.Below(5000)];
                buffers[at].AsSpan().Fill((byte)at);
            }
            if (i % 100 == 0)
            {
                ref GCHandle pin = ref pins[dice.Below(pins.Length)];
                if (pin.IsAllocated)
                    pin.Free();
                pin = GCHandle.Alloc(new byte[100], GCHandleType.Pinned);
            }
            if (i % 5000 == 4999)
                Heap.Turn();
        }
        foreach (GCHandle pin in pins)
            if (pin.IsAllocated)
                pin.Free();
        foreach (Item? item in items)
            if (item != null && (!table.TryGetValue(item.Text, out Item? found) || found != item))
                Expect.That(false, $"table entry {item.Number}");
        return sum;
    }
}
