// xml-transform: order documents built as trees, written as text, parsed again, and transformed: regrouped with LINQ to XML, and rendered by template
// rules chosen by element name, as an XSLT stylesheet would.
//
// It stresses what document processing does to a collector: bursts of small objects linked in every direction (parent, sibling, attribute chains),
// closures and iterators that die at once, strings and string builders of all sizes, and whole trees that survive a few young collections and
// then die together.
//
// One operation is one document's whole way. The totals are computed three times (from the numbers drawn, by a streaming reader over the text,
// from the transformed tree) and must agree. A lane keeps its last documents and compares each with its text when it goes.

using System.Globalization;
using System.Text;
using System.Xml;
using System.Xml.Linq;

namespace Garner.Bench;

internal sealed class XmlTransform : Workload
{
    public override string Name => "xml-transform";

    public override string Stresses => "bursts of linked small objects, closures and iterators, strings, trees that die together";

    public override Parameter[] Parameters =>
    [
        new("documents", 2500, LaneCount, 1_000_000_000, "documents in all"),
        new("orders", 80, 1, 1_000_000, "orders in a document, each with one to six lines"),
        new("kept", 2, 1, 1_000_000, "documents a lane keeps"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters) =>
        RunLanes(parameters.Threads, parameters.Long("documents"), lane => new Lane(parameters.Seed, lane, parameters.Int("orders"), parameters.Int("kept")));

    private sealed class Lane(ulong seed, int lane, int orders, int kept) : ILane
    {
        private static readonly string[] Regions = ["north", "south", "east", "west", "centre"];
        private static readonly string[] Goods = ["anvil", "bellows", "chisel", "drill", "easel", "file", "gouge", "hammer"];

        private readonly Queue<(XDocument Document, string Text)> last = new();
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;
        private int number;

        public void Step()
        {
            XDocument source = Build(out long total);
            string text = Write(source);
            Check.That(TotalByReader(text) == total, "the text does not have the total of the document");

            XDocument parsed = XDocument.Parse(text, LoadOptions.None);
            XDocument byCustomer = Regroup(parsed);
            Check.That(byCustomer.Root!.Elements("customer").Sum(c => (long)c.Attribute("total")!) == total, "the regrouped tree does not have the total of the document");
            XDocument page = new(Render(byCustomer.Root));
            string pageText = Write(page);

            digest.Add(text);
            digest.Add(pageText);
            last.Enqueue((parsed, text));
            last.Enqueue((page, pageText));
            while (last.Count > 2 * kept) Release();
            number++;
        }

        public ulong Verify()
        {
            while (last.Count > 0) Release();
            return digest.Value;
        }

        private void Release()
        {
            (XDocument document, string text) = last.Dequeue();
            Check.That(Write(document) == text, "a kept document has changed");
            digest.Add(document.Descendants().Count());
        }

        private XDocument Build(out long total)
        {
            long sum = 0;
            XElement root = new("orders", new XAttribute("number", number), new XAttribute("lane", lane));
            for (int o = 0; o < orders; o++)
            {
                XElement order = new("order",
                    new XAttribute("id", o),
                    new XAttribute("customer", $"c{prng.Skewed(orders / 4 + 1, 2)}"),
                    new XElement("region", Regions[prng.Below(Regions.Length)]));
                int lines = prng.Between(1, 6);
                for (int l = 0; l < lines; l++)
                {
                    int price = prng.Between(5, 9999), quantity = prng.Between(1, 9);
                    sum += (long)price * quantity;
                    order.Add(new XElement("line",
                        new XAttribute("price", price),
                        new XAttribute("quantity", quantity),
                        new XElement("good", Goods[prng.Below(Goods.Length)]),
                        prng.OneIn(3) ? new XElement("note", $"<{price}> & \"{quantity}\" pieces") : null));
                }
                root.Add(order);
            }
            total = sum;
            return new XDocument(new XComment($"document {number} of lane {lane}"), root);
        }

        private static string Write(XDocument document)
        {
            StringBuilder text = new();
            using (XmlWriter writer = XmlWriter.Create(text, new XmlWriterSettings { Indent = true, OmitXmlDeclaration = true, NewLineChars = "\n" }))
                document.WriteTo(writer);
            return text.ToString();
        }

        private static long TotalByReader(string text)
        {
            long total = 0;
            using XmlReader reader = XmlReader.Create(new StringReader(text));
            while (reader.Read())
            {
                if (reader.NodeType != XmlNodeType.Element || reader.Name != "line") continue;
                long price = long.Parse(reader.GetAttribute("price")!, CultureInfo.InvariantCulture);
                total += price * long.Parse(reader.GetAttribute("quantity")!, CultureInfo.InvariantCulture);
            }
            return total;
        }

        // Orders by date become customers by turnover, with their goods counted per region.
        private static XDocument Regroup(XDocument source)
        {
            var customers =
                from order in source.Root!.Elements("order")
                group order by (string)order.Attribute("customer")! into byCustomer
                let total = byCustomer.Elements("line").Sum(l => (long)l.Attribute("price")! * (long)l.Attribute("quantity")!)
                orderby total descending, byCustomer.Key
                select new XElement("customer",
                    new XAttribute("name", byCustomer.Key),
                    new XAttribute("total", total),
                    from order in byCustomer
                    group order by (string)order.Element("region")! into byRegion
                    orderby byRegion.Key
                    select new XElement("region",
                        new XAttribute("name", byRegion.Key),
                        byRegion.Elements("line")
                            .GroupBy(l => (string)l.Element("good")!)
                            .OrderBy(g => g.Key, StringComparer.Ordinal)
                            .Select(g => new XElement("good",
                                new XAttribute("name", g.Key),
                                new XAttribute("pieces", g.Sum(l => (int)l.Attribute("quantity")!)),
                                g.Elements("note").Select(n => new XElement("note", n.Value))))));
            return new XDocument(new XElement("customers", source.Root!.Attributes(), customers));
        }

        private static readonly Dictionary<XName, Func<XElement, object>> Templates = new()
        {
            ["customers"] = e => new XElement("html",
                new XElement("head", new XElement("title", $"Orders {e.Attribute("number")!.Value}")),
                new XElement("body", ApplyTemplates(e))),
            ["customer"] = e => new XElement("section",
                new XAttribute("id", e.Attribute("name")!.Value),
                new XElement("h1", $"{e.Attribute("name")!.Value}: {(long)e.Attribute("total")! / 100m}"),
                new XElement("table", ApplyTemplates(e))),
            ["region"] = e => new XElement("tr", new XElement("th", e.Attribute("name")!.Value), ApplyTemplates(e)),
            ["good"] = e => new XElement("td", $"{e.Attribute("pieces")!.Value} {e.Attribute("name")!.Value}", ApplyTemplates(e)),
            ["note"] = e => new object[] { new XElement("br"), new XText(e.Value.ToUpperInvariant()) },
        };

        private static object Render(XElement element) => Templates.TryGetValue(element.Name, out var template) ? template(element) : ApplyTemplates(element);

        private static IEnumerable<object> ApplyTemplates(XElement element) => element.Elements().Select(Render);
    }
}
