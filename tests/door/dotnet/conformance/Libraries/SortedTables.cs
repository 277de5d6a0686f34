// Sorted collections, heaps and linked lists under random insertion and removal, beside a plain sorted array.
// Rule: the order is kept.
// Node-based trees with parent links that are rotated: many stores of old references into old and young nodes.

namespace Garner.Conformance;

[Behaviour("lib-sorted-collections", "SortedDictionary, SortedSet, PriorityQueue and LinkedList keep order under random changes and collections")]
internal static class SortedTables
{
    public static void Run(TextWriter output)
    {
        SortedDictionary<string, int[]> dictionary = new(StringComparer.Ordinal);
        SortedSet<string> set = new(StringComparer.Ordinal);
        PriorityQueue<string, string> heap = new(StringComparer.Ordinal);
        LinkedList<string> list = [];
        HashSet<string> shadow = [];
        Dice dice = new(64);
        int steps = Work.Scaled(20_000, 1000);
        for (int i = 0; i < steps; i++)
        {
            string key = dice.Below(3000).ToString("D6");
            if (dice.Below(3) != 0)
            {
                dictionary[key] = [i];
                if (set.Add(key))
                {
                    heap.Enqueue(key, key);
                    list.AddLast(key);
                }
                shadow.Add(key);
            }
            else if (shadow.Remove(key))
            {
                Expect.That(dictionary.Remove(key) && set.Remove(key) && list.Remove(key), $"removal of {key}");
            }
            if (i % 4000 == 0)
                Heap.Turn();
        }
        Heap.Full();
        string[] expected = [.. shadow.Order(StringComparer.Ordinal)];
        Expect.That(dictionary.Keys.SequenceEqual(expected) && set.SequenceEqual(expected), "trees in order");
        Expect.That(list.Order(StringComparer.Ordinal).SequenceEqual(expected), "list whole");
        HashSet<string> drained = [];
        string before = "";
        while (heap.TryDequeue(out string? key, out _))
        {
            Expect.That(string.CompareOrdinal(before, key) <= 0, "heap in order");
            before = key;
            drained.Add(key);
        }
        Expect.That(drained.IsSupersetOf(expected), "heap whole");
        output.WriteLine($"{expected.Length} keys, checksum {Work.Mix(0, string.Concat(expected)):x16}");
    }
}
