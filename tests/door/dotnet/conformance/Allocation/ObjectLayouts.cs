// Objects whose reference fields lie in every pattern among plain fields: one run, several runs, inherited runs, first, last,
// none, and inside nested structs.
// Rule: exactly the slots described by the type's GCDesc are references; all others are plain bits.
// A collector that walks one series too few loses an object; one too many takes an integer for a reference.

namespace Garner.Conformance;

[Behaviour("alloc-object-layouts", "classes with references first, last, between, inherited and nested in structs keep every field")]
internal static class ObjectLayouts
{
    private class OnlyBits { public long A, B, C; }
    private class OnlyRefs { public object? A, B, C, D; }
    private class Base { public int X; public object? R1; public double Y; }
    private class Middle : Base { public object? R2; public long Z; public object? R3; }
    private class Leaf : Middle { public Nested N; public byte Small; public object? R4; }
    private struct Inner { public long Bits; public object? Ref; }
    private struct Nested { public Inner First; public int Gap; public Inner Second; public string? Text; }
    private sealed class Wide
    {
        public Nested N0, N1, N2, N3, N4, N5, N6, N7;
        public object? Last;
    }

    private static Nested NewNested(int seed) => new()
    {
        First = new Inner { Bits = seed * 17L, Ref = new Box(seed) },
        Gap = ~seed,
        Second = new Inner { Bits = -seed, Ref = new Box(seed + 1) },
        Text = $"nested {seed}",
    };

    private static bool Holds(in Nested n, int seed) =>
        n.First.Bits == seed * 17L && ((Box)n.First.Ref!).Value == seed && n.Gap == ~seed
        && n.Second.Bits == -seed && ((Box)n.Second.Ref!).Value == seed + 1 && n.Text == $"nested {seed}";

    private sealed class Box(int value) { public readonly int Value = value; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(400, 20);
        object[] all = new object[count * 4];
        for (int i = 0; i < count; i++)
        {
            // Bit patterns that look like addresses of the heap must stay what they are.
            all[i * 4] = new OnlyBits { A = (long)Heap.Address(all), B = i, C = -1 };
            all[i * 4 + 1] = new OnlyRefs { A = new Box(i), B = null, C = new Box(i + 1), D = all };
            all[i * 4 + 2] = new Leaf { X = i, R1 = new Box(i), Y = i / 3.0, R2 = new Box(i + 2), Z = i * 5L, R3 = null, N = NewNested(i), Small = (byte)i, R4 = $"leaf {i}" };
            all[i * 4 + 3] = new Wide { N0 = NewNested(i), N3 = NewNested(i + 3), N7 = NewNested(i + 7), Last = new Box(i) };
            if (i % 64 == 0)
                Heap.Turn();
        }
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                OnlyBits bits = (OnlyBits)all[i * 4];
                Expect.That(bits.B == i && bits.C == -1, "plain fields unchanged");
                OnlyRefs refs = (OnlyRefs)all[i * 4 + 1];
                Expect.That(((Box)refs.A!).Value == i && refs.B == null && ((Box)refs.C!).Value == i + 1 && refs.D == all, "four references");
                Leaf leaf = (Leaf)all[i * 4 + 2];
                Expect.That(leaf.X == i && ((Box)leaf.R1!).Value == i && leaf.Y == i / 3.0 && ((Box)leaf.R2!).Value == i + 2, "inherited fields");
                Expect.That(leaf.Z == i * 5L && leaf.R3 == null && Holds(leaf.N, i) && leaf.Small == (byte)i && (string)leaf.R4! == $"leaf {i}", "own fields");
                Wide wide = (Wide)all[i * 4 + 3];
                Expect.That(Holds(wide.N0, i) && Holds(wide.N3, i + 3) && Holds(wide.N7, i + 7) && ((Box)wide.Last!).Value == i, "many series");
                Expect.That(wide.N1.Text == null && wide.N5.First.Ref == null, "unset references stay null");
            }
        }
        output.WriteLine("6 layouts, 6 rounds");
    }
}
