// GCHandles stored as numbers in native memory: the only way to their objects.
// Rule: a handle is an address of a slot that never moves; the slot is updated when the object moves.
// The collector must not look into native memory, nor lose a slot that nothing managed mentions.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-native-handles", "GCHandles kept as IntPtr in native memory give back their (moved) objects")]
internal static unsafe class NativeHandles
{
    private sealed class Item(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(5000, 500);
        nint* native = (nint*)NativeMemory.AllocZeroed((nuint)count, (nuint)sizeof(nint));
        for (int i = 0; i < count; i++)
            native[i] = GCHandle.ToIntPtr(GCHandle.Alloc(new Item(i)));
        Dice dice = new(6);
        for (int round = 0; round < 8; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                GCHandle handle = GCHandle.FromIntPtr(native[i]);
                if (((Item)handle.Target!).Number != i)
                    Expect.That(false, $"handle {i}");
                if (dice.Below(10) == 0)
                    handle.Target = new Item(i);
                if (dice.Below(10) == 0)
                {
                    object target = handle.Target!;
                    handle.Free();
                    native[i] = GCHandle.ToIntPtr(GCHandle.Alloc(target));
                }
            }
        }
        for (int i = 0; i < count; i++)
            GCHandle.FromIntPtr(native[i]).Free();
        NativeMemory.Free(native);
        output.WriteLine($"{count} handles");
    }
}
