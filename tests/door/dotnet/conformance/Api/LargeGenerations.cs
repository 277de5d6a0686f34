// GC.GetGeneration of large, pinned and frozen objects.
// Rule: large and pinned-heap objects count as MaxGeneration from the start; objects outside the heap answer int.MaxValue.
// Buffers that let an 85,000-byte array be allocated like a small one must not hide that it is large.

namespace Garner.Conformance;

[Behaviour("api-generation-large-frozen", "GC.GetGeneration is 2 for large and pinned-heap objects and int.MaxValue for literals and types")]
internal static class LargeGenerations
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(2, GC.GetGeneration(new byte[85_000]));
        Expect.Equal(2, GC.GetGeneration(new byte[100_000]));
        Expect.Equal(2, GC.GetGeneration(new object[20_000]));
        Expect.Equal(2, GC.GetGeneration(new string('x', 50_000)));
        Expect.Equal(2, GC.GetGeneration(new byte[5_000_000]));
        Expect.Equal(2, GC.GetGeneration(GC.AllocateUninitializedArray<byte>(200_000)));
        Expect.Equal(2, GC.GetGeneration(GC.AllocateArray<byte>(100, pinned: true)));
        Expect.Equal(2, GC.GetGeneration(GC.AllocateArray<object>(100, pinned: true)));
        int young = 0;
        for (int i = 0; i < 100; i++)
            if (GC.GetGeneration(new byte[84_000]) == 0)
                young++;
        Expect.That(young > 80, "84,000 bytes are not large");
        Expect.Equal(int.MaxValue, GC.GetGeneration("a literal"));
        Expect.Equal(int.MaxValue, GC.GetGeneration(typeof(LargeGenerations)));
        output.WriteLine("large 2, frozen above all");
    }
}
