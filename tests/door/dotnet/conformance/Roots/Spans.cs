// Spans and memories over arrays and strings as the only thing that keeps them, sliced to the middle, the end, and to nothing.
// Rule: a span is a byref and a length; an empty slice at the end points one past the last element and still belongs to the array.
// The end of the last object before another region is the hardest address to resolve.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-spans", "spans into the middle and the end of arrays and strings keep the whole object")]
internal static class Spans
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Span<byte> Bytes(int length, int from)
    {
        byte[] array = new byte[length];
        for (int i = 0; i < length; i++)
            array[i] = (byte)(i * 7);
        return array.AsSpan(from);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ReadOnlySpan<char> Chars(int length, int from) =>
        string.Create(length, 0, static (span, _) => { for (int i = 0; i < span.Length; i++) span[i] = (char)('0' + i % 10); }).AsSpan(from);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Span<object> Objects(int length, int from)
    {
        object[] array = new object[length];
        for (int i = 0; i < length; i++)
            array[i] = i.ToString();
        return array.AsSpan(from);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Memory<int> Ints(int length, int from)
    {
        int[] array = new int[length];
        for (int i = 0; i < length; i++)
            array[i] = i;
        return array.AsMemory(from);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Once(int length, int from)
    {
        Span<byte> bytes = Bytes(length, from);
        ReadOnlySpan<char> chars = Chars(length, from);
        Span<object> objects = Objects(length, from);
        Memory<int> ints = Ints(length, from);
        for (int round = 0; round < 3; round++)
        {
            Heap.Churn(32);
            Heap.Turn();
            Expect.Equal(length - from, bytes.Length);
            for (int i = -from; i < bytes.Length; i++)
                if (Unsafe.Add(ref MemoryMarshal.GetReference(bytes), i) != (byte)((from + i) * 7))
                    Expect.That(false, $"byte {from + i} of {length}");
            for (int i = 0; i < chars.Length; i++)
                if (chars[i] != (char)('0' + (from + i) % 10))
                    Expect.That(false, $"char {from + i} of {length}");
            for (int i = -from; i < objects.Length; i++)
                if ((string)Unsafe.Add(ref MemoryMarshal.GetReference(objects), i) != (from + i).ToString())
                    Expect.That(false, $"object {from + i} of {length}");
            for (int i = 0; i < ints.Length; i++)
                if (ints.Span[i] != from + i)
                    Expect.That(false, $"int {from + i} of {length}");
        }
    }

    public static void Run(TextWriter output)
    {
        foreach (int length in (int[])[1, 8, 13, 64, 500, 4000, 25_000])
            foreach (int from in (int[])[0, length / 2, length - 1, length])
                Once(length, from);
        output.WriteLine("every span kept its object");
    }
}
