// The workloads' own random numbers: xorshift64*, seeded through splitmix64, the same sequence on every machine and runtime version.
// Random of the class library is not used: its sequence is not promised to stay the same. A value type without heap state, so drawing a
// number never allocates and a workload's allocation rate is its own.

using System.Runtime.CompilerServices;

namespace Garner.Bench;

internal struct Prng
{
    private ulong state;

    // Streams of one seed are independent: every lane of a workload has its own, so that threads never share a generator.
    public Prng(ulong seed, ulong stream = 0) => state = Mix(seed + Mix(stream)) | 1;

    public static ulong Mix(ulong x)
    {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Next()
    {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545f4914f6cdd1d;
    }

    // Uniform in [0, n); n > 0.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Below(int n) => (int)Math.BigMul(Next(), (ulong)n, out _);

    // Uniform in [low, high].
    public int Between(int low, int high) => low + Below(high - low + 1);

    public bool OneIn(int n) => Below(n) == 0;

    // Skewed to small values, as sizes and popularity are in real programs: the product of `power` uniform draws, in [0, n).
    public int Skewed(int n, int power)
    {
        double x = n;
        for (int i = 0; i < power; i++) x *= Unit();
        return Math.Min((int)x, n - 1);
    }

    // Uniform in [0, 1).
    public double Unit() => (Next() >> 11) * (1.0 / (1UL << 53));
}
