// GC.AllocateArray<T>(pinned: true) for T with references (allowed since .NET 8): the array stays, what it refers to moves.
// Rule: pinned-heap objects with references are old objects: stores of young references into them must be seen by young
// collections (cards), and their slots must be updated by all.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("alloc-pinned-references", "pinned arrays of references and of structs with references stay put and keep young targets alive")]
internal static class PinnedReferenceArrays
{
    private struct Pair { public string? Text; public int Number; }

    public static unsafe void Run(TextWriter output)
    {
        object?[] objects = GC.AllocateArray<object?>(3000, pinned: true);
        Pair[] pairs = GC.AllocateArray<Pair>(2000, pinned: true);
        nuint objectsAt = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(objects));
        nuint pairsAt = (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pairs));
        int[] expected = new int[objects.Length];
        Dice dice = new(77);
        int rounds = Work.Scaled(40, 6);
        for (int round = 1; round <= rounds; round++)
        {
            for (int k = 0; k < 300; k++)
            {
                int i = dice.Below(objects.Length);
                expected[i] = round * 10_000 + k;
                objects[i] = new int[] { expected[i] };
                pairs[i % pairs.Length] = new Pair { Text = expected[i].ToString(), Number = expected[i] };
            }
            if (round % 3 == 0)
                Heap.Turn();
            else
                Heap.Young();
            for (int i = 0; i < objects.Length; i++)
                Expect.That(expected[i] == 0 ? objects[i] == null : ((int[])objects[i]!)[0] == expected[i], $"object {i} in round {round}");
            foreach (ref readonly Pair pair in pairs.AsSpan())
                Expect.That(pair.Text == (pair.Number == 0 ? null : pair.Number.ToString()), "text and number agree");
        }
        Expect.Equal(objectsAt, (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(objects)), "address of the pinned object[]");
        Expect.Equal(pairsAt, (nuint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pairs)), "address of the pinned Pair[]");
        output.WriteLine("pinned arrays with references hold");
    }
}
