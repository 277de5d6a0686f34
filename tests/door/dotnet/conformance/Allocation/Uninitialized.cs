// GC.AllocateUninitializedArray, small to large: length and type are right, bounds hold, neighbours are untouched, and types with
// references come back null-filled.
// Rule: only the body of an array without references may be left as it was; header and padding are zero.
// A collector that hands out dirty headers makes an object look locked or hashed.

namespace Garner.Conformance;

[Behaviour("alloc-uninitialized", "GC.AllocateUninitializedArray of all sizes, with clean headers, and nulls where T has references")]
internal static class Uninitialized
{
    public static void Run(TextWriter output)
    {
        Heap.Churn(4096);
        List<byte[]> all = [];
        Dice dice = new(5);
        int count = Work.Scaled(400, 40);
        for (int i = 0; i < count; i++)
        {
            int length = i < 20 ? i : i % 40 == 0 ? 100_000 + dice.Below(100_000) : 1000 + dice.Below(8000);
            byte[] array = GC.AllocateUninitializedArray<byte>(length);
            Expect.Equal(length, array.Length);
            // The header must be clean: locking and hashing an object with dirty header bits goes wrong.
            lock (array)
                Expect.That(Monitor.IsEntered(array), "a fresh array can be locked");
            Expect.That(!Monitor.IsEntered(array), "and unlocked");
            Expect.Equal(System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(array), System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(array));
            array.AsSpan().Fill((byte)i);
            all.Add(array);
            if (i % 100 == 0)
                Heap.Turn();
        }
        Heap.Turn();
        Heap.Full();
        for (int i = 0; i < count; i++)
            Expect.That(!all[i].AsSpan().ContainsAnyExcept((byte)i), $"content of array {i}");

        string?[] references = GC.AllocateUninitializedArray<string?>(20_000);
        Expect.That(Array.TrueForAll(references, static s => s == null), "arrays of references start as null");
        char[] pinned = GC.AllocateUninitializedArray<char>(5000, pinned: true);
        nuint before = Heap.Address(pinned);
        Heap.Full();
        Expect.Equal(before, Heap.Address(pinned), "address of a pinned uninitialised array");
        GC.KeepAlive(pinned);
        output.WriteLine($"{count} arrays");
    }
}
