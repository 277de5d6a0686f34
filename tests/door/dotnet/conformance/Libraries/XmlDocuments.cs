// XML: XDocument, XmlReader and XmlWriter, XPath, namespaces, mixed content.
// Rule: a document written and read again is the same.
// Doubly linked trees with annotations, atomised names in shared tables, and long-lived name tables with young strings.

using System.Text;
using System.Xml;
using System.Xml.Linq;
using System.Xml.XPath;

namespace Garner.Conformance;

[Behaviour("lib-xml", "XDocument, XmlReader/Writer and XPath over a growing document during collections")]
internal static class XmlDocuments
{
    public static void Run(TextWriter output)
    {
        XNamespace ns = "urn:conformance";
        XElement root = new(ns + "root");
        for (int i = 0; i < Work.Scaled(2500, 150); i++)
        {
            root.Add(new XElement(ns + "item", new XAttribute("id", i), new XAttribute("kind", $"k{i % 9}"), $"text {i}", i % 3 == 0 ? new XElement(ns + "sub", new XCData($"<{i}>")) : null));
            if (i % 500 == 0)
                Heap.Turn();
        }
        StringBuilder builder = new();
        using (XmlWriter writer = XmlWriter.Create(builder, new XmlWriterSettings { OmitXmlDeclaration = true }))
            root.WriteTo(writer);
        string text = builder.ToString();
        Heap.Full();
        XElement back = XElement.Parse(text);
        Expect.That(back.ToString(SaveOptions.DisableFormatting) == text, "equal after a round trip");
        ulong sum = Work.Mix(0, text);
        int depth = 0, elements = 0;
        using (XmlReader reader = XmlReader.Create(new StringReader(text)))
            while (reader.Read())
                if (reader.NodeType == XmlNodeType.Element)
                {
                    depth = Math.Max(depth, reader.Depth);
                    if (++elements % 700 == 0)
                        Heap.Turn();
                }
        XmlNamespaceManager names = new(new NameTable());
        names.AddNamespace("c", ns.NamespaceName);
        sum = Work.Mix(sum, (ulong)back.XPathSelectElements("c:item[@kind='k3']/c:sub", names).Count());
        foreach (XElement item in back.Elements().Where(static e => (int)e.Attribute("id")! % 2 == 0).ToList())
            item.Remove();
        Heap.Full();
        sum = Work.Mix(sum, back.ToString(SaveOptions.DisableFormatting));
        output.WriteLine($"{elements} elements, depth {depth}, checksum {sum:x16}");
    }
}
