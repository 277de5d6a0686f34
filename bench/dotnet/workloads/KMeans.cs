// k-means: points in space grouped about the nearest of k centres, which then move to the middle of their group, by parallel LINQ on immutable records.
//
// It stresses bulk allocation of records that live for a part of an iteration beside a large set of points that live throughout: groups hold old
// points from young tables, and every sum is a chain of records of which only the last is wanted.
//
// One operation is one iteration. Coordinates are whole numbers, so that sums do not depend on the order of adding. Every iteration must place all
// points; the last one is done again on plain arrays and must give the same centres.

using System.Collections.Immutable;

namespace Garner.Bench;

internal sealed class KMeans : Workload
{
    private const int Width = 1 << 20;

    public override string Name => "k-means";

    public override string Stresses => "immutable records grouped in parallel, young groups of old points, chains of sums that die at once";

    public override Parameter[] Parameters =>
    [
        new("points", 400_000, 100, 50_000_000, "points"),
        new("centres", 16, 2, 1000, "groups they are put into"),
        new("iterations", 10, 1, 10_000, "times the points are grouped anew"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads, iterations = parameters.Int("iterations"), count = parameters.Int("points");
        InParallel.Prepare(threads);
        Prng prng = new(parameters.Seed);
        (int X, int Y, int Z)[] plain = Cloud(ref prng, count, parameters.Int("centres"));
        ImmutableArray<Point> points = [.. plain.Select(p => new Point(p.X, p.Y, p.Z))];
        ImmutableArray<Centre> centres = [.. Enumerable.Range(0, parameters.Int("centres")).Select(id => new Centre(id, points[id], 0))];

        Latencies latencies = new();
        Digest digest = default;
        ImmutableArray<Centre> before = centres;
        long time = Latencies.Now();
        for (int i = 0; i < iterations; i++)
        {
            before = centres;
            centres = Iterate(points, before, threads);
            Check.That(centres.Sum(centre => centre.Members) == count, "the groups do not hold all points");
            foreach (Centre centre in centres) digest.Add(centre.Digest);
            time = latencies.Since(time);
        }

        VerifyLast(plain, before, centres);
        for (int i = 0; i < count; i++) Check.That((points[i].X, points[i].Y, points[i].Z) == plain[i], "a point has changed");
        return new Outcome(iterations, latencies, digest.Value);
    }

    private static (int X, int Y, int Z)[] Cloud(ref Prng prng, int count, int centres)
    {
        (int X, int Y, int Z)[] middles = new (int, int, int)[centres];
        for (int i = 0; i < centres; i++) middles[i] = (prng.Below(Width), prng.Below(Width), prng.Below(Width));
        (int X, int Y, int Z)[] points = new (int, int, int)[count];
        for (int i = 0; i < count; i++)
        {
            (int x, int y, int z) = middles[prng.Below(centres)];
            points[i] = (x + Near(ref prng), y + Near(ref prng), z + Near(ref prng));
        }
        return points;
    }

    private static int Near(ref Prng prng) => prng.Skewed(Width / 4, 2) - prng.Skewed(Width / 4, 2);

    private static ImmutableArray<Centre> Iterate(ImmutableArray<Point> points, ImmutableArray<Centre> centres, int threads)
    {
        Centre[] moved = InParallel.Of(points, threads)
            .Select(point => new Placed(Nearest(centres, point.X, point.Y, point.Z), point))
            .GroupBy(placed => placed.Centre)
            .Select(group => group.Aggregate(Sum.None, (sum, placed) => sum.With(placed.Point)).Middle(group.Key))
            .ToArray();
        // A centre that no point is nearest to stays where it is.
        Dictionary<int, Centre> byId = moved.ToDictionary(centre => centre.Id);
        return [.. centres.Select(centre => byId.GetValueOrDefault(centre.Id) ?? centre with { Members = 0 })];
    }

    private static int Nearest(ImmutableArray<Centre> centres, int x, int y, int z)
    {
        int nearest = 0;
        long least = long.MaxValue;
        foreach (Centre centre in centres)
        {
            long dx = centre.At.X - x, dy = centre.At.Y - y, dz = centre.At.Z - z, distance = dx * dx + dy * dy + dz * dz;
            if (distance >= least) continue;
            least = distance;
            nearest = centre.Id;
        }
        return nearest;
    }

    private static void VerifyLast((int X, int Y, int Z)[] points, ImmutableArray<Centre> before, ImmutableArray<Centre> after)
    {
        long[] xs = new long[before.Length], ys = new long[before.Length], zs = new long[before.Length], members = new long[before.Length];
        foreach ((int x, int y, int z) in points)
        {
            int nearest = Nearest(before, x, y, z);
            xs[nearest] += x;
            ys[nearest] += y;
            zs[nearest] += z;
            members[nearest]++;
        }
        for (int i = 0; i < after.Length; i++)
        {
            Centre centre = after[i];
            Check.That(centre.Id == i && centre.Members == members[i], "a group has not as many points as it must have");
            Check.That(members[i] == 0 || (centre.At.X, centre.At.Y, centre.At.Z) == ((int)(xs[i] / members[i]), (int)(ys[i] / members[i]), (int)(zs[i] / members[i])), "a centre is not in the middle of its group");
        }
    }

    private sealed record Point(int X, int Y, int Z);

    private sealed record Placed(int Centre, Point Point);

    private sealed record Sum(long X, long Y, long Z, long Members)
    {
        public static readonly Sum None = new(0, 0, 0, 0);

        public Sum With(Point point) => new(X + point.X, Y + point.Y, Z + point.Z, Members + 1);

        public Centre Middle(int id) => new(id, new Point((int)(X / Members), (int)(Y / Members), (int)(Z / Members)), Members);
    }

    private sealed record Centre(int Id, Point At, long Members)
    {
        public ulong Digest => Prng.Mix((ulong)At.X) + 3 * Prng.Mix((ulong)At.Y) + 5 * Prng.Mix((ulong)At.Z) + 7 * Prng.Mix((ulong)Members);
    }
}
