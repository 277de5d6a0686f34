// New memory is zero, however dirty the memory was before: checked on every object during heavy re-use of memory.
// Rule: every field and element of a new object is zero, the header word too.
// A collector re-uses what it evacuated; forwarding words, poison and old objects must be gone before the next object is made.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-zeroed", "fresh objects are all zero while memory is re-used, over and after collections, on several threads")]
internal static class ZeroedMemory
{
    private sealed class Fields { public long A, B, C; public object? R, S; public Guid G; }

    public static void Run(TextWriter output)
    {
        int perThread = Work.Scaled(60_000, 3000);
        Crew.Run(4, number =>
        {
            Dice dice = new((ulong)number + 100);
            object?[] keep = new object?[256];
            for (int i = 0; i < perThread; i++)
            {
                if (dice.Below(4) == 0)
                {
                    Fields fields = new();
                    Expect.That((fields.A | fields.B | fields.C) == 0 && fields.R == null && fields.S == null && fields.G == default, "fields of a new object");
                    fields.A = fields.B = fields.C = -1;
                    fields.R = fields.S = keep;
                    fields.G = new Guid(-1, -1, -1, 255, 255, 255, 255, 255, 255, 255, 255);
                    keep[dice.Below(keep.Length)] = fields;
                }
                else
                {
                    byte[] bytes = new byte[dice.Below(dice.Below(50) == 0 ? 20_000 : 400)];
                    Expect.That(!bytes.AsSpan().ContainsAnyExcept((byte)0), $"new byte[{bytes.Length}]");
                    bytes.AsSpan().Fill(0xFF);
                    keep[dice.Below(keep.Length)] = bytes;
                }
                if (i % 20_000 == 10_000 && number == 0)
                    Heap.Turn();
            }
        });
        Heap.Full();
        Expect.That(Sum(Work.Scaled(1000, 100)) == 0, "arrays made right after a full collection");
        output.WriteLine("always zero");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Sum(int count)
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
            foreach (long value in new long[i % 300])
                sum |= value;
        return sum;
    }
}
