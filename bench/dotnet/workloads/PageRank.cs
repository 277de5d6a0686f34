// page-rank: the ranks of the pages of an R-MAT web, by parallel LINQ on immutable records.
//
// It stresses what functional programs do: each iteration makes a record for every link, groups them in tables that live through the
// iteration only, and ends in a new array of new pages while the old ones die together, all in bulk and on the threads of the pool.
//
// One operation is one iteration. Ranks are whole numbers, so that their sums do not depend on the order of adding; what rounding and pages
// without links lose is shared out evenly again. At the end the same iterations are done on plain arrays, and every page must have that rank.

using System.Collections.Immutable;
using System.Runtime.InteropServices;

namespace Garner.Bench;

internal sealed class PageRank : Workload
{
    private const long RankAtFirst = 1_000_000_000_000;

    public override string Name => "page-rank";

    public override string Stresses => "immutable records made and grouped in parallel, tables that live for one iteration, arrays replaced whole";

    public override Parameter[] Parameters =>
    [
        new("scale", 16, 4, 22, "pages, as a power of two"),
        new("links", 8, 1, 64, "links of a page, on average"),
        new("iterations", 8, 1, 10_000, "times all ranks are computed"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads, count = 1 << parameters.Int("scale"), iterations = parameters.Int("iterations");
        InParallel.Prepare(threads);
        int[][] links = RMat.Links(count, RMat.Edges(parameters.Int("scale"), count * parameters.Int("links"), parameters.Seed));
        ImmutableArray<Page> pages = [.. links.Select((to, id) => new Page(id, RankAtFirst, [.. to]))];

        Latencies latencies = new();
        long total = RankAtFirst * count;
        long time = Latencies.Now();
        for (int i = 0; i < iterations; i++)
        {
            pages = Iterate(pages, total, threads);
            long now = pages.Sum(page => page.Rank);
            Check.That(now <= total && now > total - count, "the ranks of all pages do not add up");
            total = now;
            time = latencies.Since(time);
        }

        long[] expected = OnPlainArrays(links, iterations);
        Digest digest = default;
        for (int id = 0; id < count; id++)
        {
            Check.That(pages[id].Id == id && pages[id].Rank == expected[id], "a page has not the rank it must have");
            Check.That(pages[id].Links.AsSpan().SequenceEqual(links[id]), "a page has lost its links");
            digest.Add(pages[id].Rank);
        }
        return new Outcome(iterations, latencies, digest.Value);
    }

    private static ImmutableArray<Page> Iterate(ImmutableArray<Page> pages, long total, int threads)
    {
        long evenly = (total - InParallel.Of(pages, threads).Sum(page => page.Given * page.Links.Length)) / pages.Length;
        // The number of threads is said once for a whole query.
        ParallelQuery<Share> shares = pages.AsParallel().SelectMany(page => page.Links, (page, to) => new Share(to, page.Given));
        Page[] next = InParallel.Of(pages, threads)
            .GroupJoin(shares, page => page.Id, share => share.To, (page, given) => page with { Rank = evenly + given.Sum(share => share.Amount) })
            .OrderBy(page => page.Id)
            .ToArray();
        return ImmutableCollectionsMarshal.AsImmutableArray(next);
    }

    private static long[] OnPlainArrays(int[][] links, int iterations)
    {
        long[] ranks = new long[links.Length];
        Array.Fill(ranks, RankAtFirst);
        for (int i = 0; i < iterations; i++)
        {
            long[] next = new long[ranks.Length];
            long left = ranks.Sum();
            for (int from = 0; from < links.Length; from++)
            {
                long given = Given(ranks[from], links[from].Length);
                foreach (int to in links[from]) next[to] += given;
                left -= given * links[from].Length;
            }
            for (int to = 0; to < next.Length; to++) next[to] += left / ranks.Length;
            ranks = next;
        }
        return ranks;
    }

    // What a page gives to each page it links to: 85 % of its rank in all.
    private static long Given(long rank, int links) => links == 0 ? 0 : rank / 100 * 85 / links;

    private sealed record Page(int Id, long Rank, ImmutableArray<int> Links)
    {
        public long Given => Given(Rank, Links.Length);
    }

    private sealed record Share(int To, long Amount);
}
