// Boxed values of every primitive type, of structs with references, of nullables and enums.
// Rule: a box is an object whose fields are the value's; unboxing gives a reference into it, and a box of a struct with
// references has slots. A box is often the smallest object there is, and its payload may look like an address.

namespace Garner.Conformance;

[Behaviour("alloc-boxed-values", "boxed primitives, enums, nullables and structs with references keep their value")]
internal static class Boxes
{
    private enum Colour : byte { Red = 1, Green = 200 }
    private struct Mixed { public object Ref; public int X; public string Text; }
    private interface ICounter { int Next(); }
    private struct Counter : ICounter { private int _n; public int Next() => ++_n; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(3000, 300);
        object?[] boxes = new object?[count * 8];
        for (int i = 0; i < count; i++)
        {
            boxes[i * 8] = (byte)i;
            boxes[i * 8 + 1] = i;
            boxes[i * 8 + 2] = (long)Heap.Address(boxes) + i;
            boxes[i * 8 + 3] = i / 7.0;
            boxes[i * 8 + 4] = (decimal)i / 3;
            boxes[i * 8 + 5] = i % 2 == 0 ? Colour.Red : Colour.Green;
            boxes[i * 8 + 6] = new Mixed { Ref = new int[] { i }, X = i, Text = i.ToString() };
            boxes[i * 8 + 7] = (int?)(i % 3 == 0 ? null : i);
            if (i % 500 == 0)
                Heap.Turn();
        }
        long[] longs = new long[count];
        for (int i = 0; i < count; i++)
            longs[i] = (long)boxes[i * 8 + 2]!;
        ICounter[] counters = new ICounter[100];
        for (int i = 0; i < counters.Length; i++)
            counters[i] = new Counter();
        for (int round = 1; round <= 5; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                Expect.That((byte)boxes[i * 8]! == (byte)i && (int)boxes[i * 8 + 1]! == i && (long)boxes[i * 8 + 2]! == longs[i], $"integers {i}");
                Expect.That((double)boxes[i * 8 + 3]! == i / 7.0 && (decimal)boxes[i * 8 + 4]! == (decimal)i / 3, $"fractions {i}");
                Expect.That((Colour)boxes[i * 8 + 5]! == (i % 2 == 0 ? Colour.Red : Colour.Green), $"enum {i}");
                Mixed mixed = (Mixed)boxes[i * 8 + 6]!;
                Expect.That(((int[])mixed.Ref)[0] == i && mixed.X == i && mixed.Text == i.ToString(), $"struct {i}");
                Expect.That((int?)boxes[i * 8 + 7] == (i % 3 == 0 ? null : i), $"nullable {i}");
            }
            foreach (ICounter counter in counters)
                Expect.That(counter.Next() == round, "a boxed struct is changed in place");
        }
        output.WriteLine("8 kinds of boxes");
    }
}
