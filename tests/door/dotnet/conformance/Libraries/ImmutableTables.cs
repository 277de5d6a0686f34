// Immutable and frozen collections: many versions sharing structure.
// Rule: old versions stay as they were while new ones are derived.
// Trees in which a few young nodes refer to many old ones, the reverse of the usual.

using System.Collections.Frozen;
using System.Collections.Immutable;

namespace Garner.Conformance;

[Behaviour("lib-immutable-collections", "immutable lists, dictionaries and arrays keep all their versions over collections; frozen ones find their keys")]
internal static class ImmutableTables
{
    public static void Run(TextWriter output)
    {
        int versions = Work.Scaled(300, 30);
        List<(ImmutableList<string> List, ImmutableDictionary<int, string> Table, ImmutableSortedSet<int> Set)> all = [];
        ImmutableList<string> list = [];
        ImmutableDictionary<int, string> table = ImmutableDictionary<int, string>.Empty;
        ImmutableSortedSet<int> set = [];
        for (int v = 0; v < versions; v++)
        {
            for (int i = 0; i < 10; i++)
            {
                list = list.Insert(v * 7 % (list.Count + 1), $"{v}.{i}");
                table = table.SetItem((v * 13 + i) % 500, $"{v}.{i}");
                set = set.Add(v * 31 % 1009 + i);
            }
            if (v % 3 == 2)
            {
                list = list.RemoveAt(v % list.Count);
                set = set.Remove(set[v % set.Count]);
            }
            all.Add((list, table, set));
            if (v % 30 == 0)
                Heap.Turn();
        }
        ulong First() => all.Aggregate(0UL, static (sum, x) => Work.Mix(Work.Mix(sum, (ulong)(x.List.Count + x.Table.Count * 3 + x.Set.Count * 7)), x.List[x.List.Count / 2] + x.Table.Values.Min()));
        ulong sum = First();
        Heap.Full();
        Heap.Churn(1024);
        Heap.Turn();
        Expect.Equal(sum, First(), "checksum of all versions");
        FrozenDictionary<string, int> frozen = list.Distinct().Select(static (s, i) => (s, i)).ToFrozenDictionary(static p => p.s, static p => p.i);
        Heap.Full();
        foreach ((string key, int index) in list.Distinct().Select(static (s, i) => (s, i)))
            Expect.That(frozen.TryGetValue(new string(key.AsSpan()), out int found) && found == index, $"frozen key {key}");
        output.WriteLine($"{versions} versions, checksum {sum:x16}");
    }
}
