// Objects of every size a small allocation can have, from the minimum of 24 bytes to 2,000, keep length, content and
// neighbours over collections.
// Rule: an object of size s owns exactly its bytes; sizes are rounded up to 8 and never below 24.
// A moving collector that computes one size too small copies a truncated object or overwrites the next one.

namespace Garner.Conformance;

[Behaviour("alloc-small-sizes", "new byte[n] for every total size from 24 to 2,000 keeps its bytes when it is moved")]
internal static class SmallSizes
{
    public static void Run(TextWriter output)
    {
        const int Largest = 1977;
        byte[][] all = new byte[Largest][];
        for (int length = 0; length < Largest; length++)
        {
            all[length] = new byte[length];
            Expect.That(!all[length].AsSpan().ContainsAnyExcept((byte)0), $"new byte[{length}] is zero");
            for (int i = 0; i < length; i++)
                all[length][i] = (byte)(i * 31 + length);
            if (length % 250 == 0)
                Heap.Turn();
        }
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(512);
            Heap.Turn();
            for (int length = 0; length < Largest; length++)
            {
                byte[] bytes = all[length];
                bool right = bytes.Length == length;
                for (int i = 0; i < bytes.Length; i++)
                    right &= bytes[i] == (byte)(i * 31 + length);
                Expect.That(right, $"content of byte[{length}] in round {round}");
            }
        }
        output.WriteLine($"{Largest} sizes");
    }
}
