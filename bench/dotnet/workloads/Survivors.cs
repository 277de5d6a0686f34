// survivors: a young generation that lives, or so much of it that it seems so, collected once and dropped: small nodes in trees, lists or documents, or byte arrays.
//
// It stresses the young collection by itself: what it costs to take an object to where it survives. The line's `figures` have that by object and by
// byte, and beside it what the machine's own copying takes for as many bytes. And they have what the program itself then takes to walk from object to
// object, since the collector chooses which of them lie side by side.
//
// One operation is one collection, asked for (generation 0). Those before which the collector has come by itself are not in the figures: `counted` says
// how many are, and DOTNET_GCgen0size makes room for all. After each the objects are walked and must be as they were made.

using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Bench;

internal sealed unsafe class Survivors : Workload
{
    // What a node takes, and an array beside its bytes.
    private const int NodeBytes = 48, ArrayBytes = 24;

    // Nodes of a list, more or less.
    private const int ListLength = 1000;

    private const int MostBeside = 6;

    public override string Name => "survivors";

    public override string Stresses => "young collections in which nearly everything survives: small nodes in trees, lists or documents, or arrays of bytes";

    public override Parameter[] Parameters =>
    [
        new("objects", 1_000_000, LaneCount, 100_000_000, "objects that survive a collection"),
        new("bytes", NodeBytes, ArrayBytes, 80_000, "bytes of each: 48 are nodes with references, anything else is arrays of bytes"),
        Parameter.Choice("shape", ["trees", "lists", "documents"],
            "of nodes: trees, made from the root down; lists of 1000 or so, made all at once, so that neighbours lie apart; documents, elements with up to six in them, made in their order"),
        new("rounds", 10, 1, 10_000, "collections"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int objects = parameters.Int("objects"), bytes = parameters.Int("bytes"), rounds = parameters.Int("rounds"), threads = parameters.Threads;
        if ((long)objects * bytes > 8L << 30) throw new UsageError($"{Name}: objects and bytes ask for more than 8 GB");
        string shape = parameters.Text("shape");
        if (shape != "trees" && bytes != NodeBytes) throw new UsageError($"{Name}: shape={shape} is for nodes, so bytes must be {NodeBytes}");
        Latencies latencies = new();
        List<double> pauses = [], walks = [];
        Digest digest = default;
        for (int round = 0; round < rounds; round++)
        {
            ulong first = Prng.Mix(parameters.Seed + (ulong)round);
            GC.Collect();
            int before = GC.CollectionCount(0);
            object?[] roots = new object?[LaneCount];
            Crew.Run(threads, t =>
            {
                foreach (int lane in LanesOf(t, threads)) roots[lane] = Made(first + (ulong)lane, Share(objects, lane), bytes, shape);
            });
            bool undisturbed = GC.CollectionCount(0) == before;
            TimeSpan stopped = GC.GetTotalPauseDuration();
            long start = Latencies.Now();
            GC.Collect(0, GCCollectionMode.Forced, blocking: true);
            latencies.Since(start);
            if (undisturbed) pauses.Add((GC.GetTotalPauseDuration() - stopped).TotalMilliseconds);
            ulong found = 0, expected = 0;
            long began = Stopwatch.GetTimestamp();
            foreach (object? root in roots) found += Walked(root);
            if (undisturbed) walks.Add(Stopwatch.GetElapsedTime(began).TotalNanoseconds / objects);
            for (int lane = 0; lane < LaneCount; lane++) expected += ToBeFound(first + (ulong)lane, Share(objects, lane), bytes);
            Check.That(found == expected, "a walk has found other objects");
            for (int lane = 0; lane < LaneCount; lane++) digest.Add(Checked(roots[lane], first + (ulong)lane, Share(objects, lane)));
        }
        double median = Figures.Median(pauses.ToArray()), copying = Copying(Math.Max(1L, (long)objects * bytes / threads), threads);
        string figures = $"\"counted\":{pauses.Count},\"pause_ms\":{{\"median\":{Figures.Milliseconds(median)},\"all\":{Figures.Milliseconds(pauses)}}}," +
            $"\"ns_per_object\":{Number(median * 1e6 / objects)},\"mb_per_s\":{Number(objects * (double)bytes / 1e3 / median)},\"copying_mb_per_s\":{Number(copying)}," +
            $"\"walk_ns_per_object\":{Number(Figures.Median(walks.ToArray()))}";
        return new Outcome(rounds, latencies, digest.Value, figures);
    }

    private static string Number(double value) => Figures.Number(value, "F1");

    private static int Share(int objects, int lane) => (int)((long)objects * (lane + 1) / LaneCount - (long)objects * lane / LaneCount);

    private static object? Made(ulong first, int count, int bytes, string shape)
    {
        if (bytes == NodeBytes) return shape == "lists" ? Lists(first, count) : shape == "documents" ? Document(first, count, null) : Tree(first, count);
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

    // What an element is among others comes before what it is by itself, as fields of a base class do.
    private abstract class Linked
    {
        public Element? Parent, Next;
    }

    // 48 bytes too.
    private sealed class Element(ulong value) : Linked
    {
        public Element? Content;
        public readonly ulong Value = value;
    }

    // Elements beside each other, each followed by what is in it.
    private static Element? Document(ulong first, int count, Element? parent)
    {
        Element? head = null, last = null;
        for (int beside = Math.Min(MostBeside, count); beside > 0; beside--)
        {
            int share = count / beside;
            Element element = new(first) { Parent = parent };
            if (last == null) head = element;
            else last.Next = element;
            last = element;
            element.Content = Document(first + 1, share - 1, element);
            first += (ulong)share;
            count -= share;
        }
        return head;
    }

    // Each node goes to the end of a list that is drawn, when every list has its first.
    private static Node[] Lists(ulong first, int count)
    {
        Node[] heads = new Node[ListsOf(count)], ends = new Node[heads.Length];
        Prng prng = new(first);
        for (int i = 0; i < count; i++)
        {
            Node node = new(first + (ulong)i);
            int list = ListOf(i, heads.Length, ref prng);
            if (i < heads.Length) heads[list] = node;
            else ends[list].Left = node;
            ends[list] = node;
        }
        return heads;
    }

    private static int ListsOf(int count) => (count + ListLength - 1) / ListLength;

    private static int ListOf(int i, int lists, ref Prng prng) => i < lists ? i : prng.Below(lists);

    // Reads each object once, going from one to the next. Compiled to stay as it is, so that all rounds measure the same code.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static ulong Walked(object? root)
    {
        ulong sum = 0;
        if (root is byte[][] arrays)
        {
            foreach (byte[] array in arrays) sum += array.Length > 0 ? array[0] : 0UL;
        }
        else if (root is Node[] heads)
        {
            foreach (Node head in heads)
                for (Node? node = head; node != null; node = node.Left) sum += node.Value;
        }
        else if (root is Element element)
        {
            sum = Walked(element);
        }
        else
        {
            sum = Walked((Node?)root);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static ulong Walked(Element? element)
    {
        ulong sum = 0;
        for (; element != null; element = element.Next) sum += element.Value + Walked(element.Content);
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static ulong Walked(Node? node) => node == null ? 0 : node.Value + Walked(node.Left) + Walked(node.Right);

    private static ulong ToBeFound(ulong first, int count, int bytes)
    {
        ulong sum = 0;
        for (int i = 0; i < count; i++) sum += bytes == NodeBytes ? first + (ulong)i : bytes > ArrayBytes ? (byte)(first + (ulong)i) : 0UL;
        return sum;
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
        if (root is Node[] heads)
        {
            // As they were made, each the next of the list that is drawn.
            Node?[] next = [.. heads];
            Prng prng = new(first);
            Check.That(next.Length == ListsOf(count), "there are more lists, or fewer");
            for (int i = 0; i < count; i++)
            {
                ref Node? node = ref next[ListOf(i, next.Length, ref prng)];
                Check.That(node != null && node.Value == first + (ulong)i && node.Mark == Prng.Mix(node.Value) && node.Right == null, "a node of a list holds something else");
                sum += node!.Mark;
                node = node.Left;
            }
            Check.That(Array.TrueForAll(next, node => node == null), "a list is longer than it was made");
            return sum;
        }
        if (root is Element element)
        {
            ulong value = first;
            Read(element, null, ref value, ref sum);
            Check.That(value == first + (ulong)count, "a document has more elements, or fewer");
            return sum;
        }
        Check.That(Count((Node?)root, first, ref sum) == count, "a tree has more nodes, or fewer");
        return sum;
    }

    private static void Read(Element? element, Element? parent, ref ulong value, ref ulong sum)
    {
        for (; element != null; element = element.Next)
        {
            Check.That(element.Value == value++ && element.Parent == parent, "an element holds something else");
            sum += Prng.Mix(element.Value);
            Read(element.Content, element, ref value, ref sum);
        }
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
        byte* memory = (byte*)NativeMemory.AllocZeroed((nuint)(2 * bytes * threads));
        try
        {
            double[] rates = new double[Times];
            for (int time = -1; time < Times; time++)
            {
                long start = Stopwatch.GetTimestamp();
                Crew.Run(threads, t => Buffer.MemoryCopy(memory + 2 * t * bytes, memory + (2 * t + 1) * bytes, bytes, bytes));
                if (time >= 0) rates[time] = bytes * threads / 1e6 / Stopwatch.GetElapsedTime(start).TotalSeconds;
            }
            return Figures.Median(rates);
        }
        finally
        {
            NativeMemory.Free(memory);
        }
    }
}
