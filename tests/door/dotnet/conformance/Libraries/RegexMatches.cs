// Regular expressions: interpreted, compiled, with many groups, replacements and split, over collections.
// Rule: matches are the same whatever the collector does.
// Compiled expressions are dynamic methods over spans of the input: interior pointers in hot generated code.

using System.Text.RegularExpressions;

namespace Garner.Conformance;

[Behaviour("lib-regex", "Regex matching, replacing and splitting, interpreted and compiled, during collections")]
internal static class RegexMatches
{
    public static void Run(TextWriter output)
    {
        string text = string.Join('\n', Enumerable.Range(0, Work.Scaled(1500, 100)).Select(static i => $"{i:D5};name{i % 77}@host{i % 13}.example;{i * 31 % 1000},{i % 7}"));
        foreach (RegexOptions options in (RegexOptions[])[RegexOptions.None, RegexOptions.Compiled, RegexOptions.NonBacktracking])
        {
            Regex regex = new(@"^(?<id>\d+);(?<user>\w+)@(?<host>[\w.]+);(?<a>\d+),(?<b>\d)$", options | RegexOptions.Multiline);
            ulong sum = 0;
            int count = 0;
            foreach (Match match in regex.Matches(text))
            {
                sum = Work.Mix(sum, match.Groups["user"].Value);
                sum = Work.Mix(sum, (ulong)int.Parse(match.Groups["a"].ValueSpan));
                if (++count % 250 == 0)
                    Heap.Turn();
            }
            string replaced = regex.Replace(text, static m =>
            {
                if (m.Groups["b"].Value == "0")
                    Heap.Churn(2);
                return $"{m.Groups["host"].Value}/{m.Groups["user"].Value}";
            });
            sum = Work.Mix(sum, replaced);
            foreach (string part in Regex.Split(replaced, "[/\n]"))
                sum = Work.Mix(sum, (ulong)part.Length);
            output.WriteLine($"{options}: {count} matches, checksum {sum:x16}");
        }
    }
}
