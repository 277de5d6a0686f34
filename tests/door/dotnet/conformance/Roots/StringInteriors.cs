// Pointers into the middle of strings: pinned, by ref, as ReadOnlyMemory, and substrings made from them.
// Rule: strings are ordinary movable objects whose data begins at offset 12; literals are frozen and never move.
// The data offset of strings differs from that of arrays.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-string-interiors", "refs, pins and memories into the middle of strings, young, old, large and literal")]
internal static class StringInteriors
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref readonly char Middle(int length) => ref Make(length).AsSpan()[length / 2];

    private static string Make(int length) => string.Create(length, length, static (span, n) =>
    {
        for (int i = 0; i < span.Length; i++)
            span[i] = (char)(0x4E00 + (i * 31 + n) % 20_000);
    });

    public static unsafe void Run(TextWriter output)
    {
        foreach (int length in (int[])[1, 2, 5, 100, 3000, 41_000, 60_000])
        {
            ref readonly char middle = ref Middle(length);
            ReadOnlyMemory<char> memory = Make(length).AsMemory(length / 3);
            string pinned = Make(length);
            fixed (char* p = pinned)
            {
                nuint before = (nuint)p;
                for (int round = 0; round < 4; round++)
                {
                    Heap.Churn(64);
                    Heap.Turn();
                    for (int i = 0; i < length; i++)
                    {
                        char expected = (char)(0x4E00 + (i * 31 + length) % 20_000);
                        if (Unsafe.Add(ref Unsafe.AsRef(in middle), i - length / 2) != expected || p[i] != expected)
                            Expect.That(false, $"char {i} of {length}");
                        if (i >= length / 3 && memory.Span[i - length / 3] != expected)
                            Expect.That(false, $"memory char {i} of {length}");
                    }
                    fixed (char* q = pinned)
                        Expect.Equal(before, (nuint)q, "address of a pinned string");
                }
            }
        }
        ref readonly char literal = ref "a literal that never moves".AsSpan()[2];
        Heap.Full();
        Expect.Equal('l', literal);
        Expect.That(MemoryMarshal.TryGetString(Make(10).AsMemory(3), out string? whole, out int start, out _) && whole.Length == 10 && start == 3, "string behind a memory");
        output.WriteLine("every char in its place");
    }
}
