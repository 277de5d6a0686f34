// GC.AllocateArray(pinned: true): the address of the data never changes, in collections of any kind, among moving neighbours.
// Rule: objects of the pinned object heap are never moved; they are reclaimed when dead and answer MaxGeneration.
// Native code keeps such addresses; one move is silent corruption.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-pinned-array", "GC.AllocateArray<T>(pinned: true) never moves, is zero, is collected when dead")]
internal static class PinnedArrays
{
    public static unsafe void Run(TextWriter output)
    {
        int count = Work.Scaled(500, 50);
        List<byte[]> arrays = [];
        List<nuint> addresses = [];
        Dice dice = new(9);
        for (int i = 0; i < count; i++)
        {
            int length = i % 50 == 49 ? 200_000 : dice.Below(3000);
            byte[] array = GC.AllocateArray<byte>(length, pinned: true);
            Expect.That(!array.AsSpan().ContainsAnyExcept((byte)0), "a pinned array starts as zero");
            array.AsSpan().Fill((byte)i);
            arrays.Add(array);
            addresses.Add((nuint)Unsafe.AsPointer(ref System.Runtime.InteropServices.MemoryMarshal.GetArrayDataReference(array)));
            if (i % 100 == 0)
                Heap.Turn();
        }
        for (int round = 0; round < 12; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                if (arrays[i] == null)
                    continue;
                Expect.Equal(addresses[i], (nuint)Unsafe.AsPointer(ref System.Runtime.InteropServices.MemoryMarshal.GetArrayDataReference(arrays[i])), $"address of array {i}");
                Expect.That(!arrays[i].AsSpan().ContainsAnyExcept((byte)i), $"content of array {i}");
                // Seen through the raw address too, as native code would.
                if (arrays[i].Length > 0)
                    Expect.Equal((byte)i, *(byte*)addresses[i], $"first byte of array {i} through its address");
                if (i % 12 == round)
                    arrays[i] = null!;
            }
        }
        Expect.Equal(GC.MaxGeneration, GC.GetGeneration(GC.AllocateArray<int>(10, pinned: true)));
        WeakReference weak = Dead();
        Expect.That(Heap.Until(() => !weak.IsAlive), "a dead pinned array is collected");
        output.WriteLine($"{count} arrays stayed where they were");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Dead() => new(GC.AllocateArray<byte>(1000, pinned: true));
}
