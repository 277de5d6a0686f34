// LINQ to objects: grouping, joining, ordering, aggregation, lookup, set operations.
// Rule: the results are those of the same query without collections.
// Chains of iterators and delegates that all live in the heap, with buffers that grow in between.

namespace Garner.Conformance;

[Behaviour("lib-linq", "LINQ group, join, order, zip, set and aggregate operators during collections")]
internal static class LinqQueries
{
    private sealed record Order(int Id, string Customer, decimal Amount, DateOnly Day);

    public static void Run(TextWriter output)
    {
        Order[] orders = [.. Enumerable.Range(0, Work.Scaled(8000, 400)).Select(static i => new Order(i, $"c{i * 7 % 211}", i % 100 + 0.25m, new DateOnly(2020, 1, 1).AddDays(i % 500)))];
        ulong sum = 0;
        int step = 0;
        var byCustomer = orders.Where(o => { if (++step % 2000 == 0) Heap.Turn(); return o.Amount > 3; })
            .GroupBy(static o => o.Customer)
            .Select(static g => new { g.Key, Total = g.Sum(static o => o.Amount), Last = g.MaxBy(static o => o.Day)! })
            .OrderByDescending(static x => x.Total).ThenBy(static x => x.Key, StringComparer.Ordinal).ToList();
        Heap.Full();
        foreach (var x in byCustomer)
            sum = Work.Mix(Work.Mix(sum, x.Key), x.Total.ToString() + x.Last.Id);
        var joined = from o in orders
                     join x in byCustomer on o.Customer equals x.Key into found
                     from x in found.DefaultIfEmpty()
                     orderby o.Day, o.Id
                     select (o.Id, x?.Total ?? 0);
        foreach ((int id, decimal total) in joined)
            sum = Work.Mix(sum, (ulong)id + (ulong)total);
        ILookup<int, string> lookup = orders.ToLookup(static o => o.Day.Month, static o => o.Customer);
        Heap.Turn();
        foreach (IGrouping<int, string> month in lookup.OrderBy(static m => m.Key))
            sum = Work.Mix(sum, (ulong)month.Distinct().Count());
        string[] chunks = [.. orders.Chunk(100).Zip(byCustomer.Chunk(7)).Select(static p => $"{p.First.Length}{p.Second[0].Key}")];
        sum = Work.Mix(sum, string.Concat(chunks));
        sum = Work.Mix(sum, (ulong)orders.Select(static o => o.Customer).Except(byCustomer.Take(10).Select(static x => x.Key)).Union(["x"]).Count());
        sum = Work.Mix(sum, orders.Aggregate("", static (text, o) => text.Length > 50 ? text[25..] : text + o.Customer));
        output.WriteLine($"{byCustomer.Count} customers, checksum {sum:x16}");
    }
}
