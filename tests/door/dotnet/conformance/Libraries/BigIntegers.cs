// BigInteger arithmetic with numbers of tens of thousands of bits.
// Rule: exact arithmetic.
// Many arrays of growing length without references, spans over them, and stack buffers beside pooled ones.

using System.Numerics;

namespace Garner.Conformance;

[Behaviour("lib-biginteger", "BigInteger factorials, powers and divisions are exact during collections")]
internal static class BigIntegers
{
    public static void Run(TextWriter output)
    {
        int n = Work.Scaled(2000, 200);
        BigInteger factorial = 1;
        for (int i = 2; i <= n; i++)
        {
            factorial *= i;
            if (i % 300 == 0)
                Heap.Turn();
        }
        BigInteger back = factorial;
        for (int i = n; i > 1; i--)
        {
            back = BigInteger.DivRem(back, i, out BigInteger rest);
            if (!rest.IsZero)
                Expect.That(false, $"division by {i}");
        }
        Expect.That(back.IsOne, "dividing a factorial down to one");
        BigInteger prime = BigInteger.Pow(2, 607) - 1;
        Heap.Full();
        Expect.That(BigInteger.ModPow(3, prime - 1, prime).IsOne, "Fermat's theorem for a Mersenne prime");
        string text = factorial.ToString();
        Heap.Turn();
        Expect.That(BigInteger.Parse(text) == factorial, "parsed back");
        output.WriteLine($"{text.Length} digits, checksum {Work.Mix(0, text):x16}");
    }
}
