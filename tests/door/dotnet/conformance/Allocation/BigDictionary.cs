// A dictionary of objects by identity and one by string grow to hundreds of thousands of entries while collections run.
// Rule: identity hash codes stay, entries (structs with references in a large array) are scanned in the repeating pattern.
// The entry array is large and old, the entries refer to young keys.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-dictionary", "a large Dictionary by identity and by text finds every key after its keys have moved")]
internal static class BigDictionary
{
    private sealed class Key(int number) { public readonly int Number = number; }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(150_000, 5000);
        Dictionary<object, string> byIdentity = new(ReferenceEqualityComparer.Instance);
        Dictionary<string, Key> byText = [];
        Key[] keys = new Key[count];
        for (int i = 0; i < count; i++)
        {
            keys[i] = new Key(i);
            string text = i.ToString("x");
            byIdentity.Add(keys[i], text);
            byText.Add(text, keys[i]);
            if (i % 25_000 == 0)
                Heap.Turn();
        }
        for (int round = 0; round < 3; round++)
        {
            Heap.Churn(1024);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                if (!byIdentity.TryGetValue(keys[i], out string? text) || !byText.TryGetValue(text, out Key? key) || key != keys[i])
                    Expect.That(false, $"key {i} in round {round}");
        }
        for (int i = 0; i < count; i += 2)
        {
            Expect.That(byIdentity.Remove(keys[i], out string? text) && byText.Remove(text), $"removal of {i}");
            keys[i] = null!;
        }
        Heap.Full();
        Expect.Equal(count / 2, byIdentity.Count);
        Expect.That(byIdentity.Keys.All(k => ((Key)k).Number % 2 == 1), "the odd ones remain");
        output.WriteLine("all found");
    }
}
