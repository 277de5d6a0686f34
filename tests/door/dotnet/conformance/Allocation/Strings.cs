// Strings of every length from 0 to 2,000 made by each way of making strings.
// Rule: string size is 22 + 2n rounded up to 8, with a zero terminator; length at offset 8.
// The size formula differs from that of arrays; a wrong rounding loses the last characters when the string moves.

using System.Text;

namespace Garner.Conformance;

[Behaviour("alloc-strings", "strings of every length keep text, terminator and hash when they are moved")]
internal static class Strings
{
    public static unsafe void Run(TextWriter output)
    {
        const int Longest = 2000;
        List<string> all = [];
        for (int length = 0; length <= Longest; length++)
        {
            char c = (char)('a' + length % 26);
            all.Add((length % 4) switch
            {
                0 => new string(c, length),
                1 => string.Create(length, c, static (span, fill) => span.Fill(fill)),
                2 => string.Concat(new string(c, length / 2), new string(c, length - length / 2)),
                _ => new StringBuilder().Append(c, length).ToString(),
            });
            if (length % 300 == 0)
                Heap.Turn();
        }
        int[] hashes = all.ConvertAll(static s => s.GetHashCode()).ToArray();
        ulong sum = 0;
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(512);
            Heap.Turn();
            for (int length = 0; length <= Longest; length++)
            {
                string s = all[length];
                Expect.That(s.Length == length && !s.AsSpan().ContainsAnyExcept((char)('a' + length % 26)), $"text of length {length}");
                Expect.That(s.GetHashCode() == hashes[length], $"hash of length {length}");
                fixed (char* p = s)
                    Expect.That(p[length] == '\0', $"terminator of length {length}");
                if (round == 0)
                    sum = Work.Mix(sum, s);
            }
        }
        output.WriteLine($"{all.Count} strings, checksum {sum:x16}");
    }
}
