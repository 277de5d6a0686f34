// System.Text.Json: serialising and parsing object graphs, documents and nodes, from streams and spans.
// Rule: what is written is read back equal.
// Pooled buffers, reflection-emitted accessors and spans over them, all alive across allocations.

using System.Text.Json;
using System.Text.Json.Nodes;

namespace Garner.Conformance;

[Behaviour("lib-json", "System.Text.Json round trips of object graphs, documents and nodes during collections")]
internal static class JsonDocuments
{
    private sealed record Person(int Id, string Name, string[] Tags, Dictionary<string, double> Scores, Person? Parent);

    public static void Run(TextWriter output)
    {
        List<Person> people = [];
        for (int i = 0; i < Work.Scaled(800, 50); i++)
            people.Add(new Person(i, $"name \u00e9\u4e2d {i}", [.. Enumerable.Range(0, i % 6).Select(static t => $"tag{t}")], new() { ["a"] = i / 4.0, ["b"] = -i }, i % 10 == 0 || i == 0 ? null : people[i - 1]));
        string json = JsonSerializer.Serialize(people);
        Heap.Full();
        List<Person> back = JsonSerializer.Deserialize<List<Person>>(json)!;
        Heap.Turn();
        string again = JsonSerializer.Serialize(back);
        Expect.That(json == again, "equal after a round trip");
        ulong sum = 0;
        using (JsonDocument document = JsonDocument.Parse(json))
            foreach (JsonElement element in document.RootElement.EnumerateArray())
            {
                sum = Work.Mix(sum, element.GetProperty("Name").GetString()!);
                sum = Work.Mix(sum, (ulong)element.GetProperty("Tags").GetArrayLength());
                if (element.GetProperty("Id").GetInt32() % 100 == 0)
                    Heap.Turn();
            }
        JsonNode node = JsonNode.Parse(json)!;
        foreach (JsonNode? child in node.AsArray())
            child!["Name"] = child["Name"]!.GetValue<string>().ToUpperInvariant();
        Heap.Full();
        sum = Work.Mix(sum, node.ToJsonString());
        using MemoryStream stream = new();
        JsonSerializer.SerializeAsync(stream, people).Wait();
        stream.Position = 0;
        Expect.Equal(people.Count, JsonSerializer.DeserializeAsync<List<Person>>(stream).AsTask().Result!.Count);
        output.WriteLine($"{json.Length} characters, checksum {sum:x16}");
    }
}
