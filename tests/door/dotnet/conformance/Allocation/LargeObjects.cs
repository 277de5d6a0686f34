// Objects above the large-object threshold: arrays of bytes, doubles, references and structs, and long strings.
// Rule: objects of 85,000 bytes and more may live elsewhere, answer MaxGeneration, are zeroed, and are scanned like any other.
// Large objects stay in place while everything they refer to moves: their slots must be updated all the same.

namespace Garner.Conformance;

[Behaviour("alloc-large", "objects of 85 kB to several MB of all kinds keep content and references over collections")]
internal static class LargeObjects
{
    private struct Entry { public long Key; public object? Value; }

    public static void Run(TextWriter output)
    {
        int[] sizes = [84_900, 84_976, 84_977, 85_000, 85_001, 100_003, 262_144, 1_048_571, 2_097_152, 5_000_001];
        List<byte[]> bytes = [];
        List<object?[]> refs = [];
        List<Entry[]> entries = [];
        List<string> strings = [];
        List<double[]> doubles = [];
        foreach (int size in sizes)
        {
            byte[] b = new byte[size];
            Expect.That(!b.AsSpan().ContainsAnyExcept((byte)0), $"byte[{size}] is zero");
            for (int i = 0; i < b.Length; i += 97)
                b[i] = (byte)(i + size);
            bytes.Add(b);

            object?[] r = new object?[size / 8];
            for (int i = 0; i < r.Length; i += 61)
                r[i] = new int[] { i, size };
            refs.Add(r);

            Entry[] e = new Entry[size / 16];
            for (int i = 0; i < e.Length; i += 53)
                e[i] = new Entry { Key = i, Value = i.ToString() };
            entries.Add(e);

            strings.Add(new string((char)('A' + size % 26), size / 2));
            double[] d = new double[size / 8];
            d[^1] = size;
            doubles.Add(d);
            Heap.Turn();
        }
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(1024);
            Heap.Turn();
            for (int n = 0; n < sizes.Length; n++)
            {
                int size = sizes[n];
                bool right = bytes[n].Length == size;
                for (int i = 0; i < size; i++)
                    right &= bytes[n][i] == (i % 97 == 0 ? (byte)(i + size) : 0);
                Expect.That(right, $"byte[{size}]");
                for (int i = 0; i < refs[n].Length; i++)
                    Expect.That(i % 61 == 0 ? refs[n][i] is int[] pair && pair[0] == i && pair[1] == size : refs[n][i] == null, $"object[{refs[n].Length}] at {i}");
                for (int i = 0; i < entries[n].Length; i++)
                    Expect.That(i % 53 == 0 ? entries[n][i].Key == i && (string)entries[n][i].Value! == i.ToString() : entries[n][i].Value == null, $"Entry[{entries[n].Length}] at {i}");
                Expect.That(strings[n].Length == size / 2 && !strings[n].AsSpan().ContainsAnyExcept((char)('A' + size % 26)), $"string of {size / 2}");
                Expect.That(doubles[n][^1] == size && doubles[n][0] == 0, $"double[{size / 8}]");
            }
        }
        // Drop every other object and fill the holes again: fresh memory must be zero.
        for (int round = 0; round < 3; round++)
        {
            for (int n = round % 2; n < sizes.Length; n += 2)
                bytes[n] = null!;
            Heap.Full();
            for (int n = round % 2; n < sizes.Length; n += 2)
            {
                bytes[n] = new byte[sizes[n]];
                Expect.That(!bytes[n].AsSpan().ContainsAnyExcept((byte)0), $"reused byte[{sizes[n]}] is zero");
                bytes[n].AsSpan().Fill(0xEE);
            }
        }
        output.WriteLine($"{sizes.Length} sizes of 5 kinds");
    }
}
