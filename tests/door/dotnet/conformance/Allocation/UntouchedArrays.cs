// Two arrays that are together larger than the machine's memory, of which only some elements are touched.
// Rule: without a limit each array that the machine could hold can be made; untouched pages cost nothing.
// A collector that counts what is allocated instead of what is used would refuse the second one.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("alloc-untouched", "two arrays of 0.6 of the machine's memory each live beside each other while nobody touches them")]
internal static class UntouchedArrays
{
    [StructLayout(LayoutKind.Sequential, Size = 64)]
    private struct Block
    {
        public long Value;
    }

    public static void Run(TextWriter output)
    {
        GC.Collect();
        long available = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        Expect.That(available > 0, "memory that may be used");
        if ((long)GC.GetConfigurationVariables()["GCHeapHardLimit"] == 0)
        {
            int length = (int)Math.Min(Array.MaxLength, available / 10 * 6 / 64);
            Block[] first = new Block[length], second = new Block[length];
            first[length / 2].Value = second[^1].Value = 7;
            for (int i = 0; i < 3; i++)
                GC.Collect(i);
            Expect.Equal(7L, first[length / 2].Value);
            Expect.Equal(7L, second[^1].Value);
            Expect.Equal(0L, second[length / 3].Value);
        }
        output.WriteLine("both");
    }
}
