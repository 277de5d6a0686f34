// Byrefs to one past the last byte of arrays of every size from 0 to 1,000 bytes, each the only root of its array, thousands at a time
// so that some arrays are the last object of whatever unit the collector allocates in.
// Rule: such a byref lies in the word before the next object's start and belongs to the array before it.
// At the end of a region the same address is the first word of the next region: looked up there, the array is lost.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-one-past-the-end", "byrefs one past the end of thousands of arrays keep their array, also at the end of a region")]
internal static class OnePastTheEnd
{
    private static int s_checked;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref byte End(int length)
    {
        byte[] array = new byte[length];
        array.AsSpan().Fill((byte)(length * 3 + 1));
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(array), length);
    }

    // Eight byrefs a frame; the deepest frame collects.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Hold(int depth, ref Dice dice)
    {
        int a = dice.Below(125) * 8, b = dice.Below(125) * 8, c = dice.Below(1000), d = dice.Below(125) * 8;
        int e = dice.Below(125) * 8, f = dice.Below(40) * 8, g = dice.Below(1000), h = dice.Below(10) * 8;
        ref byte ra = ref End(a);
        ref byte rb = ref End(b);
        ref byte rc = ref End(c);
        ref byte rd = ref End(d);
        ref byte re = ref End(e);
        ref byte rf = ref End(f);
        ref byte rg = ref End(g);
        ref byte rh = ref End(h);
        if (depth == 0)
        {
            Heap.Young();
            Heap.Churn(512);
            Heap.Full();
            Heap.Churn(512);
            Heap.Turn();
        }
        else
        {
            Hold(depth - 1, ref dice);
        }
        Verify(ref ra, a);
        Verify(ref rb, b);
        Verify(ref rc, c);
        Verify(ref rd, d);
        Verify(ref re, e);
        Verify(ref rf, f);
        Verify(ref rg, g);
        Verify(ref rh, h);
    }

    private static void Verify(ref byte end, int length)
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Subtract(ref end, length), length);
        if (bytes.ContainsAnyExcept((byte)(length * 3 + 1)))
            Expect.That(false, $"array of {length} bytes behind its end");
        // The array's length field lies 16 bytes before its data: it is intact only if the object itself was kept and moved as one.
        if (Unsafe.ReadUnaligned<int>(ref Unsafe.Subtract(ref end, length + 8)) != length)
            Expect.That(false, $"length field of an array of {length}");
        s_checked++;
    }

    public static void Run(TextWriter output)
    {
        s_checked = 0;
        Dice dice = new(1000);
        for (int round = 0; round < Work.Scaled(8, 2); round++)
            Hold(500, ref dice);
        output.WriteLine($"{s_checked} byrefs");
    }
}
