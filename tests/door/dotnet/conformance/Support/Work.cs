// How much work a behaviour does, and the deterministic random numbers it uses.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

internal static class Work
{
    /// <summary>Every workload is divided by this (scale=N on the command line).</summary>
    public static int Divisor = 1;

    /// <summary>Replaces the main count of behaviours that ask for it (count=N on the command line); 0 = not given.</summary>
    public static int Override;

    public static int Scaled(int amount, int atLeast = 1) => Math.Max(atLeast, amount / Divisor);

    public static int Count(int amount, int atLeast = 1) => Override > 0 ? Override : Scaled(amount, atLeast);

    /// <summary>Mixes a value into a running checksum.</summary>
    public static ulong Mix(ulong sum, ulong value)
    {
        sum ^= value + 0x9E3779B97F4A7C15UL + (sum << 6) + (sum >> 2);
        return sum * 0xBF58476D1CE4E5B9UL;
    }

    public static ulong Mix(ulong sum, string value)
    {
        foreach (char c in value)
            sum = Mix(sum, c);
        return sum;
    }
}

/// <summary>xorshift64*: the same numbers on every machine and every run.</summary>
internal struct Dice(ulong seed)
{
    private ulong _state = seed * 0x9E3779B97F4A7C15UL | 1;

    public ulong Next()
    {
        _state ^= _state >> 12;
        _state ^= _state << 25;
        _state ^= _state >> 27;
        return _state * 0x2545F4914F6CDD1DUL;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Below(int bound) => (int)((Next() >> 33) % (ulong)bound);
}
