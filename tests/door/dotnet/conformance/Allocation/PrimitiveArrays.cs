// One-dimensional arrays of every element size the runtime has, including structs of odd sizes.
// Rule: size = 24 + n * component size, rounded up to 8; the component size is the low 16 bits of the MethodTable's first word.
// A collector that assumes element sizes are powers of two, or reads the component size wrongly, miscounts these.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("alloc-arrays-sz", "one-dimensional arrays with elements of 1 to 1,024 bytes keep every element")]
internal static class PrimitiveArrays
{
    [StructLayout(LayoutKind.Sequential, Pack = 1)] private struct Three { public byte A, B, C; }
    [StructLayout(LayoutKind.Sequential, Pack = 1)] private struct Seven { public int A; public byte B, C, D; }
    [StructLayout(LayoutKind.Sequential, Size = 13, Pack = 1)] private struct Thirteen { public int A; }
    [StructLayout(LayoutKind.Sequential, Size = 100)] private struct Hundred { public int A; }
    [StructLayout(LayoutKind.Sequential, Size = 1024)] private struct Kilo { public int A; }

    private static ulong Check<T>(string name, Dice dice) where T : unmanaged
    {
        List<(T[] Array, byte[] Copy)> all = [];
        for (int i = 0; i < 60; i++)
        {
            T[] array = new T[i < 40 ? i : dice.Below(200)];
            Span<byte> bytes = MemoryMarshal.AsBytes(array.AsSpan());
            for (int b = 0; b < bytes.Length; b++)
                bytes[b] = (byte)dice.Next();
            all.Add((array, bytes.ToArray()));
        }
        Heap.Turn();
        Heap.Churn(128);
        Heap.Turn();
        ulong sum = 0;
        foreach ((T[] array, byte[] copy) in all)
        {
            Expect.That(MemoryMarshal.AsBytes(array.AsSpan()).SequenceEqual(copy), $"{name}[{array.Length}]");
            sum = Work.Mix(sum, (ulong)array.Length);
            foreach (byte b in copy)
                sum = Work.Mix(sum, b);
        }
        return sum;
    }

    public static void Run(TextWriter output)
    {
        output.WriteLine($"bool {Check<bool>("bool", new Dice(1)):x16}");
        output.WriteLine($"short {Check<short>("short", new Dice(2)):x16}");
        output.WriteLine($"char {Check<char>("char", new Dice(3)):x16}");
        output.WriteLine($"int {Check<int>("int", new Dice(4)):x16}");
        output.WriteLine($"float {Check<float>("float", new Dice(5)):x16}");
        output.WriteLine($"long {Check<long>("long", new Dice(6)):x16}");
        output.WriteLine($"double {Check<double>("double", new Dice(7)):x16}");
        output.WriteLine($"nint {Check<nint>("nint", new Dice(8)):x16}");
        output.WriteLine($"decimal {Check<decimal>("decimal", new Dice(9)):x16}");
        output.WriteLine($"Guid {Check<Guid>("Guid", new Dice(10)):x16}");
        output.WriteLine($"Int128 {Check<Int128>("Int128", new Dice(11)):x16}");
        output.WriteLine($"3 bytes {Check<Three>("3 bytes", new Dice(12)):x16}");
        output.WriteLine($"7 bytes {Check<Seven>("7 bytes", new Dice(13)):x16}");
        output.WriteLine($"13 bytes {Check<Thirteen>("13 bytes", new Dice(14)):x16}");
        output.WriteLine($"100 bytes {Check<Hundred>("100 bytes", new Dice(15)):x16}");
        output.WriteLine($"1024 bytes {Check<Kilo>("1024 bytes", new Dice(16)):x16}");
    }
}
