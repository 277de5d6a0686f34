// A 64-bit digest over everything a workload has computed. It is no defence against an adversary: it notices a lost, stale or
// overwritten object, which is what a broken collector leaves behind.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Bench;

internal struct Digest
{
    private ulong state;

    public readonly ulong Value => state;

    // Order matters: Add(a), Add(b) differs from Add(b), Add(a). For work whose order is not fixed use AddUnordered.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(ulong value)
    {
        state = (state ^ value) * 0x9e3779b97f4a7c15;
        state ^= state >> 29;
    }

    public void Add(long value) => Add((ulong)value);

    public void Add(double value) => Add(BitConverter.DoubleToUInt64Bits(value));

    public void Add(string text) => Add(Of(text));

    public void Add(ReadOnlySpan<byte> bytes) => Add(Of(bytes));

    // A sum: the same in whatever order the parts arrive.
    public void AddUnordered(ulong value) => state += Prng.Mix(value);

    public static ulong Of(string text) => Of(MemoryMarshal.AsBytes(text.AsSpan()));

    public static ulong Of(ReadOnlySpan<byte> bytes)
    {
        Digest d = default;
        d.Add((ulong)bytes.Length);
        while (bytes.Length >= 8)
        {
            d.Add(MemoryMarshal.Read<ulong>(bytes));
            bytes = bytes[8..];
        }
        ulong tail = 0;
        foreach (byte b in bytes) tail = tail << 8 | b;
        d.Add(tail);
        return d.Value;
    }
}
