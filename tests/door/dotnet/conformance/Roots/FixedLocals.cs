// `fixed` statements: arrays, strings, spans, fields and nested ones; addresses hold while everything else moves.
// Rule: a pinned local's object does not move until the statement ends, and is free to move afterwards.
// Pins are found late in the root walk, perhaps after another reference to the same object was seen.

namespace Garner.Conformance;

[Behaviour("roots-fixed", "`fixed` keeps the address of arrays, strings, spans and fields over all kinds of collections")]
internal static class FixedLocals
{
    private sealed class Holder { public long Before = 1; public int Value = 42; public object Ref = new(); }

    public static unsafe void Run(TextWriter output)
    {
        for (int n = 0; n < 30; n++)
        {
            Heap.Churn(16);
            byte[] array = new byte[100 + n * 37];
            string text = new((char)('a' + n % 26), 10 + n);
            Holder holder = new();
            long[] large = new long[20_000];
            Span<int> span = new int[50].AsSpan(20);
            object[] alsoKnown = [array, text, holder, large];
            fixed (byte* a = array)
            fixed (char* t = text)
            fixed (int* v = &holder.Value)
            fixed (long* l = &large[10_000])
            fixed (int* s = span)
            fixed (byte* nothing = Array.Empty<byte>())
            {
                Expect.That(nothing == null, "an empty array gives a null pointer");
                nuint sum = (nuint)a + (nuint)t + (nuint)v + (nuint)l + (nuint)s;
                for (int round = 0; round < 4; round++)
                {
                    *v = n + round;
                    a[5] = (byte)n;
                    s[3] = n;
                    *l = n;
                    Heap.Churn(64);
                    Heap.Turn();
                    fixed (byte* a2 = array)
                    fixed (char* t2 = text)
                    fixed (int* v2 = &holder.Value)
                    fixed (long* l2 = &large[10_000])
                    fixed (int* s2 = span)
                        Expect.Equal(sum, (nuint)a2 + (nuint)t2 + (nuint)v2 + (nuint)l2 + (nuint)s2, "sum of pinned addresses");
                    Expect.That(holder.Value == n + round && array[5] == (byte)n && span[3] == n && large[10_000] == n, "writes through pinned pointers");
                }
            }
            Heap.Turn();
            Expect.That(alsoKnown[0] == array && alsoKnown[1] == (object)text && alsoKnown[2] == holder && alsoKnown[3] == large, "identity after unpinning");
        }
        output.WriteLine("pins held");
    }
}
