// Markdown as people write it, made from random numbers: sections with paragraphs, links of both kinds, lists, tables, code and quotations.
//
// While it writes, it counts what it has written. That is how the documents workload knows what its libraries must find, without asking them.

using System.Globalization;
using System.Text;

namespace Garner.Bench;

internal sealed class MarkdownText
{
    private readonly StringBuilder text = new();
    private readonly Words words;
    private readonly List<string> targets = []; // of the links that are defined at the end
    private Prng prng;

    public MarkdownText(Prng prng, Words words, string title, int sections)
    {
        this.prng = prng;
        this.words = words;
        text.Append("# ").Append(title).Append("\n\n");
        for (int i = 0; i < sections; i++) Section();
        for (int i = 0; i < targets.Count; i++) text.Append(CultureInfo.InvariantCulture, $"[r{i}]: {targets[i]} \"{Words.Spelled(i)}\"\n");
        Text = text.ToString();
        text = new StringBuilder();
    }

    public string Text { get; }

    public int Sections { get; private set; }

    public int Links { get; private set; }

    public int Items { get; private set; }

    public int Rows { get; private set; }

    public int CodeBlocks { get; private set; }

    public int Quotations { get; private set; }

    // Of the last column of all tables.
    public long Total { get; private set; }

    private void Section()
    {
        Sections++;
        text.Append(prng.OneIn(3) ? "### " : "## ");
        Phrase(prng.Between(1, 5));
        text.Append("\n\n");
        int blocks = prng.Between(1, 5);
        for (int i = 0; i < blocks; i++)
        {
            switch (prng.Below(8))
            {
                case 0: List(); break;
                case 1: Table(); break;
                case 2: Code(); break;
                case 3: Quotation(); break;
                default: Paragraph(); break;
            }
            text.Append('\n');
        }
    }

    private void Phrase(int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (i > 0) text.Append(' ');
            Words.Spell(words.Draw(ref prng), text);
        }
    }

    private void Paragraph()
    {
        int sentences = prng.Between(1, 6);
        for (int i = 0; i < sentences; i++)
        {
            Sentence();
            text.Append(i % 2 == 1 ? '\n' : ' ');
        }
        text.Append('\n');
    }

    private void Sentence()
    {
        int pieces = prng.Between(1, 4);
        for (int i = 0; i < pieces; i++)
        {
            Phrase(prng.Between(2, 7));
            text.Append(i % 2 == 0 ? " " : ", ");
            Inline();
            text.Append(i == pieces - 1 ? "." : " ");
        }
    }

    private void Inline()
    {
        switch (prng.Below(7))
        {
            case 0: Marked("*", "*"); break;
            case 1: Marked("**", "**"); break;
            case 2: Marked("~~", "~~"); break;
            case 3: Marked("`List<", "> & more`"); break;
            case 4:
                Links++;
                Marked("[", $"](https://example.org/{Words.Spelled(prng.Below(5000))}?a={prng.Below(100)}&b=2)");
                break;
            case 5:
                Links++;
                Marked("[", $"][r{targets.Count}]");
                targets.Add($"https://example.net/{prng.Below(100_000)}");
                break;
            default: Phrase(1); break;
        }
    }

    private void Marked(string open, string close)
    {
        text.Append(open);
        Phrase(prng.Between(1, 3));
        text.Append(close);
    }

    private void List()
    {
        int items = prng.Between(2, 8), kind = prng.Below(3);
        for (int i = 0; i < items; i++)
        {
            Items++;
            if (kind == 0) text.Append(CultureInfo.InvariantCulture, $"{i + 1}. ");
            else text.Append(kind == 1 ? "- " : prng.OneIn(2) ? "- [x] " : "- [ ] ");
            Sentence();
            text.Append('\n');
            for (int inner = kind == 1 ? prng.Skewed(4, 2) : 0; inner > 0; inner--)
            {
                Items++;
                text.Append("  - ");
                Phrase(3);
                text.Append('\n');
            }
        }
    }

    private void Table()
    {
        int rows = prng.Between(1, 12);
        text.Append("| what | note | amount |\n|------|:----:|-------:|\n");
        for (int i = 0; i < rows; i++)
        {
            int amount = prng.Below(100_000);
            Rows++;
            Total += amount;
            text.Append("| ");
            Phrase(2);
            text.Append(" | ");
            Marked("*", "*");
            text.Append(CultureInfo.InvariantCulture, $" | {amount} |\n");
        }
    }

    private void Code()
    {
        CodeBlocks++;
        text.Append("```csharp\n");
        for (int line = prng.Between(2, 12); line > 0; line--)
        {
            text.Append("if (a < b && ");
            Phrase(1);
            text.Append(CultureInfo.InvariantCulture, $" != \"{line}\") return *p;\n");
        }
        text.Append("```\n");
    }

    private void Quotation()
    {
        Quotations++;
        for (int line = prng.Between(1, 4); line > 0; line--)
        {
            text.Append("> ");
            Phrase(8);
            text.Append('\n');
        }
    }
}
