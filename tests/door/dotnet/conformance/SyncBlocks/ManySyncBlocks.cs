// A hundred thousand objects with sync blocks (locked and hashed), half dropped, their blocks used again.
// Rule: sync blocks of dead objects are recycled; those of live ones follow the object.
// The table of back pointers is weak; young collections look at the young part only.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("sync-many-blocks", "100,000 sync blocks keep lock and hash of live objects while those of dead ones are recycled")]
internal static class ManySyncBlocks
{
    private sealed class Plain(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(Plain?[] all, int[] hashes, int parity)
    {
        for (int i = parity; i < all.Length; i += 2)
        {
            Plain made = new(i);
            // A hash and a lock at once do not fit the header: the object gets a sync block.
            hashes[i] = RuntimeHelpers.GetHashCode(made);
            lock (made)
                all[i] = made;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Verify(Plain?[] all, int[] hashes)
    {
        for (int i = 0; i < all.Length; i++)
            if (all[i] is { } plain)
                lock (plain)
                    if (plain.Number != i || RuntimeHelpers.GetHashCode(plain) != hashes[i] || !Monitor.IsEntered(plain))
                        Expect.That(false, $"object {i}");
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(100_000, 3000);
        Plain?[] all = new Plain?[count];
        int[] hashes = new int[count];
        Make(all, hashes, 0);
        Make(all, hashes, 1);
        for (int round = 0; round < 4; round++)
        {
            Heap.Young();
            Verify(all, hashes);
            for (int i = round % 2; i < count; i += 2)
                all[i] = null;
            Heap.Settle();
            Verify(all, hashes);
            Make(all, hashes, round % 2);
            Heap.Turn();
        }
        Verify(all, hashes);
        output.WriteLine("locks and hashes hold");
    }
}
