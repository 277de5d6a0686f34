// Ref structs with ref fields: refs to locals, to fields, to array elements, nested, passed and returned.
// Rule: a ref field is a byref inside a stack-only struct, reported like a local byref.
// Several byrefs into one object lie in one struct on the stack, together with references.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-ref-structs", "ref fields of ref structs follow their objects, nested and through calls")]
internal static class RefStructs
{
    private ref struct Cursor
    {
        public ref int Position;
        public ref string Text;
        public Span<byte> Bytes;
        public object Owner;
    }

    private ref struct Outer
    {
        public Cursor First;
        public long Gap;
        public Cursor Second;
        public Cursor Third;
    }

    private sealed class Source { public int Position; public string[] Texts = ["zero", "one", "two"]; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Cursor Open(int n)
    {
        Source source = new() { Position = n };
        source.Texts[1] = n.ToString();
        byte[] bytes = new byte[n + 10];
        bytes[n] = (byte)n;
        return new Cursor { Position = ref source.Position, Text = ref source.Texts[1], Bytes = bytes.AsSpan(n), Owner = source };
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Check(scoped in Cursor cursor, int n, int step)
    {
        Heap.Turn();
        Expect.That(cursor.Position == n + step && cursor.Text == n.ToString() && cursor.Bytes[0] == (byte)n && cursor.Bytes.Length == 10, $"cursor {n}");
        Expect.That(Unsafe.AreSame(ref cursor.Position, ref ((Source)cursor.Owner).Position), "the ref field and the owner's field are one");
        Expect.That(Unsafe.AreSame(ref cursor.Text, ref ((Source)cursor.Owner).Texts[1]), "the ref field and the element are one");
    }

    public static void Run(TextWriter output)
    {
        for (int n = 0; n < 40; n++)
        {

            Outer outer = new() { First = Open(n), Second = Open(n + 1), Gap = -1, Third = Open(n + 100) };
            for (int step = 0; step < 3; step++)
            {
                Heap.Churn(16);
                Check(in outer.First, n, step);
                Check(in outer.Second, n + 1, step);
                Check(in outer.Third, n + 100, step);
                outer.First.Position++;
                outer.Second.Position++;
                outer.Third.Position++;
            }
        }
        output.WriteLine("ref fields hold");
    }
}
