// documents: a pipeline of libraries. Markdown is rendered to HTML (Markdig), the HTML parsed into a document (AngleSharp) that is searched with selectors,
// collected into records and changed, and the records are written as JSON and read back (Newtonsoft.Json).
//
// It stresses what services on such libraries do: bursts of linked objects of many classes, dictionaries and lists in every node, strings and their pieces,
// closures, delegates and reflection's caches; trees that die together, at once or after a while.
//
// One operation is one document's whole way. A lane keeps its last documents, and each new one is entered into one of those, so old trees take in young nodes.
// The text knows how many links, rows and so on it has; after each step they must be there. A document that goes must be, without what was entered, what it was
// when it came.

using System.Globalization;
using AngleSharp;
using AngleSharp.Dom;
using AngleSharp.Html.Dom;
using AngleSharp.Html.Parser;
using Markdig;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Garner.Bench;

internal sealed class Documents : Workload
{
    public override string Name => "documents";

    public override string Stresses => "a pipeline of libraries: linked objects of many classes, strings, delegates, trees that die together or after a while";

    public override Parameter[] Parameters =>
    [
        new("documents", 1200, LaneCount, 1_000_000_000, "documents in all"),
        new("sections", 12, 1, 100_000, "sections of a document"),
        new("kept", 4, 1, 1_000_000, "documents a lane keeps"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        Words words = new(20_000);
        MarkdownPipeline pipeline = new MarkdownPipelineBuilder().UseAdvancedExtensions().Build();
        return RunLanes(parameters.Threads, parameters.Long("documents"),
            lane => new Lane(new Prng(parameters.Seed, (ulong)lane), words, pipeline, parameters.Int("sections"), parameters.Int("kept")));
    }

    private sealed record Link(string Text, string Target);

    private sealed record Row(string What, string Note, long Amount);

    private sealed record Term(string Word, int Count);

    private sealed record Section(string Heading, string Anchor, int Level, List<Link> Links, List<Row> Rows, List<string> Code);

    private sealed record Page(int Number, string Title, List<Section> Sections, List<Term> Terms);

    // A document that is kept, with what it was when it came.
    private sealed record Kept(IHtmlDocument Document, string Html, Page Page, string Json)
    {
        public int Entered { get; set; }
    }

    private sealed class Lane(Prng prng, Words words, MarkdownPipeline pipeline, int sections, int kept) : ILane
    {
        private static readonly char[] Separators = [' ', '\n', ',', '.'];
        private readonly List<Kept> last = [];
        private readonly HtmlParser parser = new();
        private Prng prng = prng;
        private Digest digest;
        private int number;

        public void Step()
        {
            string title = $"document {number}";
            MarkdownText source = new(new Prng(prng.Next()), words, title, sections);
            string html = Markdown.ToHtml(source.Text, pipeline);
            IHtmlDocument document = parser.ParseDocument(html);
            Compare(document, source);

            Page page = Collect(document);
            Check.That(page.Title == title && page.Sections.Count == source.Sections + 1, "the records have not all sections of the text");
            Check.That(page.Sections.Sum(section => section.Rows.Sum(row => row.Amount)) == source.Total, "the records do not have the total of the text");
            string json = Write(page);
            ReadBack(json, source);

            Change(document);
            Kept entry = new(document, document.ToHtml(), page, json);
            digest.Add(source.Text);
            digest.Add(html);
            digest.Add(entry.Html);
            digest.Add(json);
            if (last.Count > 0) Enter(title, last[prng.Below(last.Count)]);
            last.Add(entry);
            if (last.Count > kept) Release();
            number++;
        }

        public ulong Verify()
        {
            while (last.Count > 0) Release();
            return digest.Value;
        }

        private static void Compare(IHtmlDocument document, MarkdownText source)
        {
            Check.That(document.QuerySelectorAll("h2, h3").Length == source.Sections, "the document has not as many sections as the text");
            Check.That(document.QuerySelectorAll("a[href]").Length == source.Links, "the document has not as many links as the text");
            Check.That(document.QuerySelectorAll("ul > li, ol > li").Length == source.Items, "the document has not as many items as the text");
            Check.That(document.QuerySelectorAll("pre > code.language-csharp").Length == source.CodeBlocks, "the document has not as much code as the text");
            Check.That(document.QuerySelectorAll("body > blockquote").Length == source.Quotations, "the document has not as many quotations as the text");
            IHtmlCollection<IElement> rows = document.QuerySelectorAll("tbody tr");
            Check.That(rows.Length == source.Rows, "the document has not as many rows as the text");
            Check.That(rows.Sum(row => Amount(row.QuerySelector("td:last-child")!)) == source.Total, "the document does not have the total of the text");
        }

        private static long Amount(IElement cell) => long.Parse(cell.TextContent, CultureInfo.InvariantCulture);

        private Page Collect(IHtmlDocument document)
        {
            List<Section> all = [];
            foreach (IElement element in document.Body!.Children)
            {
                if (element is IHtmlHeadingElement)
                {
                    all.Add(new Section(element.TextContent, element.Id ?? "", element.LocalName[1] - '0', [], [], []));
                    continue;
                }
                Section section = all[^1];
                section.Links.AddRange(element.QuerySelectorAll<IHtmlAnchorElement>("a").Select(a => new Link(a.TextContent, a.Href)));
                section.Rows.AddRange(element.QuerySelectorAll("tbody tr").Select(row => new Row(row.Children[0].TextContent, row.Children[1].InnerHtml, Amount(row.Children[2]))));
                if (element is IHtmlPreElement) section.Code.Add(element.TextContent);
            }
            IEnumerable<Term> terms = document.QuerySelectorAll("p, li")
                .SelectMany(element => element.TextContent.Split(Separators, StringSplitOptions.RemoveEmptyEntries))
                .GroupBy(word => word)
                .Select(group => new Term(group.Key, group.Count()))
                .OrderByDescending(term => term.Count)
                .ThenBy(term => term.Word, StringComparer.Ordinal);
            return new Page(number, document.QuerySelector("h1")!.TextContent, all, [.. terms.Take(40)]);
        }

        private static string Write(Page page) => JsonConvert.SerializeObject(page, Formatting.Indented);

        // Once as a tree without types and once as the records it was.
        private static void ReadBack(string json, MarkdownText source)
        {
            JObject tree = JObject.Parse(json);
            Check.That(tree.SelectTokens("$.Sections[*].Rows[*].Amount").Sum(amount => (long)amount) == source.Total, "the JSON does not have the total of the text");
            Check.That(tree["Sections"]!.Children()["Code"].Sum(code => code.Count()) == source.CodeBlocks, "the JSON has not as much code as the text");
            Page again = JsonConvert.DeserializeObject<Page>(json)!;
            Check.That(Write(again) == json, "the records that were read are not those that were written");
        }

        // As a site would: a table of contents in front, quotations at the end, a caption on every table.
        private static void Change(IHtmlDocument document)
        {
            IElement contents = document.CreateElement("ul");
            foreach (IElement heading in document.QuerySelectorAll("h2[id]")) contents.AppendChild(Item(document, heading.TextContent, "#" + heading.Id));
            IElement nav = document.CreateElement("nav");
            nav.AppendChild(contents);
            document.Body!.Prepend(nav);
            foreach (IElement quotation in document.QuerySelectorAll("blockquote"))
            {
                IElement aside = document.CreateElement("aside");
                aside.Append([.. quotation.ChildNodes]);
                quotation.Remove();
                document.Body.Append(aside);
            }
            foreach (IHtmlTableElement table in document.QuerySelectorAll<IHtmlTableElement>("table"))
                table.CreateCaption().TextContent = $"{table.Rows.Length - 1} rows";
        }

        private static IElement Item(IHtmlDocument document, string text, string target)
        {
            IElement link = document.CreateElement("a");
            link.TextContent = text;
            link.SetAttribute("href", target);
            IElement item = document.CreateElement("li");
            item.AppendChild(link);
            return item;
        }

        private static void Enter(string title, Kept into)
        {
            IElement item = Item(into.Document, title, "/" + title);
            item.ClassList.Add("entered");
            into.Document.QuerySelector("nav > ul")!.AppendChild(item);
            into.Entered++;
        }

        private void Release()
        {
            Kept oldest = last[0];
            last.RemoveAt(0);
            IHtmlCollection<IElement> entered = oldest.Document.QuerySelectorAll("nav li.entered");
            Check.That(entered.Length == oldest.Entered, "a kept document has not what was entered into it");
            foreach (IElement item in entered)
            {
                digest.Add(item.TextContent);
                item.Remove();
            }
            Check.That(oldest.Document.ToHtml() == oldest.Html, "a kept document has changed");
            Check.That(Write(oldest.Page) == oldest.Json, "records of a kept document have changed");
            digest.Add(oldest.Document.All.Length);
            oldest.Document.Dispose();
        }
    }
}
