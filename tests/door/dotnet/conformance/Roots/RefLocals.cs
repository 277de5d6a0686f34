// Interior pointers: ref locals into arrays of values, references and structs, into fields, and ref returns, each the only thing
// that keeps its object alive.
// Rule: a byref anywhere inside an object keeps the whole object and moves with it.
// The collector must find the object's start from an address in its middle, before and after other objects were moved.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-ref-locals", "ref locals into arrays, fields and structs keep and follow the whole object")]
internal static class RefLocals
{
    private struct Pair { public string Text; public int Number; }
    private sealed class Holder { public long A; public Pair Pair; public int[] Array = [1, 2, 3]; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref int IntoArray(int length, int at)
    {
        int[] array = new int[length];
        for (int i = 0; i < length; i++)
            array[i] = i;
        return ref array[at];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref Pair IntoStructs(int length, int at)
    {
        Pair[] array = new Pair[length];
        for (int i = 0; i < length; i++)
            array[i] = new Pair { Text = i.ToString(), Number = i };
        return ref array[at];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref string IntoReferences(int length, int at)
    {
        string[] array = new string[length];
        for (int i = 0; i < length; i++)
            array[i] = i.ToString();
        return ref array[at];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref int IntoField(int number) => ref new Holder { A = number, Pair = new Pair { Text = number.ToString(), Number = number } }.Pair.Number;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Once(int length, int at)
    {
        ref int number = ref IntoArray(length, at);
        ref Pair pair = ref IntoStructs(length, at);
        ref string text = ref IntoReferences(length, at);
        ref int field = ref IntoField(at);
        ref int nothing = ref Unsafe.NullRef<int>();
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            Expect.Equal(at, number);
            Expect.Equal(0, Unsafe.Subtract(ref number, at));
            Expect.Equal(length - 1, Unsafe.Add(ref number, length - 1 - at));
            Expect.That(pair.Number == at && pair.Text == at.ToString(), "element of structs");
            Expect.Equal((length - 1).ToString(), Unsafe.Add(ref pair, length - 1 - at).Text);
            Expect.Equal(at.ToString(), text);
            Expect.Equal("0", Unsafe.Subtract(ref text, at));
            Expect.Equal(at, field);
            Expect.That(Unsafe.IsNullRef(ref nothing), "a null ref stays null");
            // Stores through the refs: the barrier sees an interior address of an object nobody else knows.
            text = string.Concat(at.ToString(), "");
            pair.Text = at.ToString();
        }
    }

    public static void Run(TextWriter output)
    {
        Dice dice = new(13);
        foreach (int length in (int[])[1, 2, 3, 17, 100, 1000, 9000, 40_000])
            for (int k = 0; k < (length > 5000 ? 3 : 10); k++)
                Once(length, dice.Below(length));
        output.WriteLine("every ref followed its object");
    }
}
