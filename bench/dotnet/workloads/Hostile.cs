// hostile: one very long linked list and one huge array of references, both alive throughout, while small garbage is made and parts of both are replaced.
//
// It stresses what parallel tracing by work stealing is worst at: the list gives one object of work at a time, so that all but one thread look for work in
// vain until its end; the array gives millions at once. The list is a queue: what is taken from its head lived longest, and while it is dead but not
// yet found to be, it refers to the rest.
//
// One operation makes a few objects that die at once, and replaces one element of the array or moves the list on. The list belongs to the first lane, the
// elements to the others. Each element carries its number and version, each link its place; all of them are looked at in the end.

namespace Garner.Bench;

internal sealed class Hostile : Workload
{
    private const int GarbagePerStep = 16, LinksPerStep = 8;

    public override string Name => "hostile";

    public override string Stresses => "tracing of one long list and one huge array, which threads cannot share well; links that die oldest first";

    public override Parameter[] Parameters =>
    [
        new("links", 2_000_000, 16, 1_000_000_000, "links of the list"),
        new("elements", 3_000_000, LaneCount, 1_000_000_000, "elements of the array"),
        new("steps", 6_000_000, LaneCount, 10_000_000_000, "elements replaced, and times the list is moved on"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        Element[] array = new Element[parameters.Int("elements") / (LaneCount - 1) * (LaneCount - 1)];
        return RunLanes<ILane>(parameters.Threads, parameters.Long("steps"), lane => lane == 0
            ? new Links(parameters.Seed, parameters.Int("links"))
            : new Elements(parameters.Seed, lane, array));
    }

    private sealed class Element(int number, int version)
    {
        public readonly int Number = number, Version = version;
    }

    private sealed class Link(long place)
    {
        public readonly ulong Value = Prng.Mix((ulong)place);
        public Link? Next;
    }

    // A chain as short-lived programs' objects are: a handful, looked at once.
    private static ulong Garbage(ref Prng prng)
    {
        long start = (long)(prng.Next() >> 1);
        Link? chain = null;
        for (int i = 0; i < GarbagePerStep; i++) chain = new Link(start - i) { Next = chain };
        ulong sum = 0;
        for (; chain != null; chain = chain.Next) sum = sum * 31 + chain.Value;
        return sum;
    }

    private sealed class Links : ILane
    {
        private readonly int count;
        private Prng prng;
        private Digest digest;
        private Link head, tail;
        private long first;

        // Linked in another order than made, so that neighbours in the list are not neighbours in memory.
        public Links(ulong seed, int count)
        {
            this.count = count;
            prng = new Prng(seed);
            int[] order = [.. Enumerable.Range(0, count)];
            for (int i = count - 1; i > 0; i--)
            {
                int j = prng.Below(i + 1);
                (order[i], order[j]) = (order[j], order[i]);
            }
            Link[] links = new Link[count];
            foreach (int place in order) links[place] = new Link(place);
            for (int i = 1; i < count; i++) links[i - 1].Next = links[i];
            head = links[0];
            tail = links[^1];
        }

        public void Step()
        {
            digest.Add(Garbage(ref prng));
            for (int i = 0; i < LinksPerStep; i++)
            {
                Check.That(head.Value == Prng.Mix((ulong)first) && head.Next != null, "the head of the list is not what it must be");
                head = head.Next!;
                tail = tail.Next = new Link(first + count);
                first++;
            }
        }

        public ulong Verify()
        {
            long place = first;
            for (Link? link = head; link != null; link = link.Next) Check.That(link.Value == Prng.Mix((ulong)place++), "a link is not in its place");
            Check.That(place == first + count, "the list has lost links");
            digest.Add(place);
            return digest.Value;
        }
    }

    private sealed class Elements : ILane
    {
        private readonly Element[] array;
        private readonly int lane;
        private readonly int[] versions;
        private Prng prng;
        private Digest digest;

        public Elements(ulong seed, int lane, Element[] array)
        {
            this.array = array;
            this.lane = lane;
            versions = new int[array.Length / (LaneCount - 1)];
            prng = new Prng(seed, (ulong)lane);
            for (int i = 0; i < versions.Length; i++) array[PlaceOf(i)] = new Element(PlaceOf(i), 0);
        }

        private int PlaceOf(int i) => i * (LaneCount - 1) + lane - 1;

        public void Step()
        {
            digest.Add(Garbage(ref prng));
            int i = prng.Below(versions.Length);
            CheckElement(i);
            array[PlaceOf(i)] = new Element(PlaceOf(i), ++versions[i]);
        }

        private void CheckElement(int i)
        {
            Element element = array[PlaceOf(i)];
            Check.That(element.Number == PlaceOf(i) && element.Version == versions[i], "an element of the array is not what was stored");
        }

        public ulong Verify()
        {
            for (int i = 0; i < versions.Length; i++)
            {
                CheckElement(i);
                digest.Add(versions[i]);
            }
            return digest.Value;
        }
    }
}
