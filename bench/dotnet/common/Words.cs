// The words of a made-up language: the n-th is as frequent as 1/n (Zipf), as in real ones. Only numbers are kept; a word is spelled when it is needed, so what a
// text costs is the workload's own.

using System.Text;

namespace Garner.Bench;

internal sealed class Words
{
    private const string Consonants = "bdfgklmnprstvz", Vowels = "aeiou";
    private readonly double[] upTo;

    public Words(int count)
    {
        upTo = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) upTo[i] = sum += 1.0 / (i + 1);
    }

    public int Draw(ref Prng prng)
    {
        int at = Array.BinarySearch(upTo, prng.Unit() * upTo[^1]);
        return Math.Min(at < 0 ? ~at : at, upTo.Length - 1);
    }

    // Syllables are the digits of the number, so different words are spelled differently.
    public static void Spell(int word, StringBuilder into)
    {
        const int Syllables = 14 * 5;
        for (int rest = word + 1; rest > 0; rest = (rest - 1) / Syllables)
        {
            int syllable = (rest - 1) % Syllables;
            into.Append(Consonants[syllable / 5]).Append(Vowels[syllable % 5]);
        }
    }

    public static string Spelled(int word)
    {
        StringBuilder text = new();
        Spell(word, text);
        return text.ToString();
    }
}
