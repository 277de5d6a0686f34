// survivors: a young generation that lives, or so much of it that it seems so, collected once and dropped: small nodes in trees, or byte arrays.
//
// It stresses the young collection by itself: what it costs to take an object to where it survives. The line's `figures` have that by object and by
// byte, and beside it what the machine's own copying takes for as many bytes.
//
// One operation is one collection, asked for (generation 0). Those before which the collector has come by itself are not in the figures: `counted` says
// how many are, and DOTNET_GCgen0size makes room for all. After each the objects are walked and must be as they were made.

using System.Globalization;

namespace Garner.Bench;

internal sealed unsafe class Survivors : Workload
{
    // What a node takes, and an array beside its bytes.
    private const int NodeBytes = 48, ArrayBytes = 24;

    public override string Name => "survivors";

    public override string Stresses => "young collections in which nearly everything survives: small nodes in trees, or arrays of bytes";

    public override Parameter[] Parameters =>
    [
        new("objects", 1_000_000, LaneCount, 100_000_000, "objects that survive a collection"),
        new("bytes", NodeBytes, ArrayBytes, 80_000, "bytes of each: 48 are nodes with two references, in trees, anything else is arrays of bytes"),
        new("rounds", 10, 1, 10_000, "collections"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int objects = parameters.Int("objects"), bytes = parameters.Int("bytes"), rounds = parameters.Int("rounds"), threads = parameters.Threads;
        if ((long)objects * bytes > 8L << 30) throw new UsageError($"{Name}: objects and bytes ask for more than 8 GB");
        Latencies latencies = new();
        List<double> pauses = [];
        Digest digest = default;
        for (int round = 0; round < rounds; round++)
        {
            ulong first = Prng.Mix(parameters.Seed + (ulong)round);
            GC.Collect();
            int before = GC.CollectionCount(0);
            object?[] roots = new object?[LaneCount];
            Crew.Run(threads, t =>
            {
                foreach (int lane in LanesOf(t, threads)) roots[lane] = Made(first + (ulong)lane, Share(objects, lane), bytes);
            });
            bool undisturbed = GC.CollectionCount(0) == before;
            TimeSpan stopped = GC.GetTotalPauseDuration();
            long start = Latencies.Now();
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
            latencies.Since(start);
            if (undisturbed) pauses.Add((GC.GetTotalPauseDuration() - stopped).TotalMilliseconds);
            for (int lane = 0; lane < LaneCount; lane++) digest.Add(Checked(roots[lane], first + (ulong)lane, Share(objects, lane)));
        }
        double median = Figures.Median(pauses.ToArray()), copying = Copying(Math.Max(1L, (long)objects * bytes / threads), threads);
        string figures = $"\"counted\":{pauses.Count},\"pause_ms\":{{\"median\":{Figures.Milliseconds(median)},\"all\":{Figures.Milliseconds(pauses)}}}," +
            $"\"ns_per_object\":{Number(median * 1e6 / objects)},\"mb_per_s\":{Number(median > 0 ? (double)objects * bytes / 1e3 / median : 0)},\"copying_mb_per_s\":{Number(copying)}";
        return new Outcome(rounds, latencies, digest.Value, figures);
    }

    private static string Number(double value) => value.ToString("F1", CultureInfo.InvariantCulture);

    private static int Share(int objects, int lane) => (int)((long)objects * (lane + 1) / LaneCount - (long)objects * lane / LaneCount);

    private static object? Made(ulong first, int count, int bytes)
    {
        if (bytes == NodeBytes) return Tree(first, count);
        byte[][] arrays = new byte[count][];
        for (int i = 0; i < count; i++)
        {
            byte[] array = new byte[bytes - ArrayBytes];
            if (array.Length > 0) array[0] = (byte)(first + (ulong)i);
            if (array.Length > 1) array[^1] = (byte)(first * 3 + (ulong)i);
            arrays[i] = array;
        }
        return arrays;
    }

    // 48 bytes with the object's header.
    private sealed class Node(ulong value)
    {
        public Node? Left, Right;
        public readonly ulong Value = value, Mark = Prng.Mix(value);
    }

    private static Node? Tree(ulong first, int count)
    {
        if (count == 0) return null;
        int left = (count - 1) / 2;
        return new Node(first) { Left = Tree(first + 1, left), Right = Tree(first + 1 + (ulong)left, count - 1 - left) };
    }

    private static ulong Checked(object? root, ulong first, int count)
    {
        ulong sum = 0;
        if (root is byte[][] arrays)
        {
            Check.That(arrays.Length == count, "an array has another length");
            for (int i = 0; i < count; i++)
            {
                byte[] array = arrays[i];
                Check.That(array.Length == 0 || array.Length == 1 || (array[0] == (byte)(first + (ulong)i) && array[^1] == (byte)(first * 3 + (ulong)i)), "an array holds something else");
                sum += (ulong)array.Length + Prng.Mix(array.Length > 0 ? array[0] : 0UL);
            }
            return sum;
        }
        Check.That(Count((Node?)root, first, ref sum) == count, "a tree has more nodes, or fewer");
        return sum;
    }

    private static int Count(Node? node, ulong value, ref ulong sum)
    {
        if (node == null) return 0;
        Check.That(node.Value == value && node.Mark == Prng.Mix(value), "a node holds something else");
        sum += node.Mark;
        int left = Count(node.Left, value + 1, ref sum);
        return 1 + left + Count(node.Right, value + 1 + (ulong)left, ref sum);
    }

    // MB a second that threads together copy, each as many bytes as it would of the survivors, between memory that has been used; the median of a few times.
    private static double Copying(long bytes, int threads)
    {
        const int Times = 5;
        byte* memory = (byte*)System.Runtime.InteropServices.NativeMemory.AllocZeroed((nuint)(2 * bytes * threads));
        try
        {
            double[] rates = new double[Times];
            for (int time = -1; time < Times; time++)
            {
                long start = System.Diagnostics.Stopwatch.GetTimestamp();
                Crew.Run(threads, t => Buffer.MemoryCopy(memory + 2 * t * bytes, memory + (2 * t + 1) * bytes, bytes, bytes));
                if (time >= 0) rates[time] = bytes * threads / 1e6 / System.Diagnostics.Stopwatch.GetElapsedTime(start).TotalSeconds;
            }
            return Figures.Median(rates);
        }
        finally
        {
            System.Runtime.InteropServices.NativeMemory.Free(memory);
        }
    }
}
