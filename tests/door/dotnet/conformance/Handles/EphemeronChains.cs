// Chains of ephemerons: each value is the key of the next entry, in tables and raw dependent handles, in both orders of creation.
// Rule: entries are followed until nothing new becomes reachable; dropping the first key drops the whole chain.
// One pass over the handles finds one link only: the loop must run to a fixpoint, interleaved with marking.

using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("cwt-chains", "chains of 200 ephemerons live with their first key and die with it, whatever the order of entries")]
internal static class EphemeronChains
{
    private sealed class Link(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (Link First, WeakReference Last) Build(ConditionalWeakTable<Link, Link> table, int length, bool backwards)
    {
        Link[] links = new Link[length];
        for (int i = 0; i < length; i++)
            links[i] = new Link(i);
        for (int i = 0; i < length - 1; i++)
        {
            int at = backwards ? length - 2 - i : i;
            table.Add(links[at], links[at + 1]);
        }
        return (links[0], new WeakReference(links[^1]));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Walk(ConditionalWeakTable<Link, Link> table, Link first)
    {
        int length = 1;
        for (Link link = first; table.TryGetValue(link, out Link? next); link = next)
        {
            Expect.That(next.Number == link.Number + 1, $"link {length}");
            length++;
        }
        return length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Once(int length, bool backwards)
    {
        ConditionalWeakTable<Link, Link> table = [];
        (Link first, WeakReference last) = Build(table, length, backwards);
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(32);
            Heap.Turn();
            Expect.Equal(length, Walk(table, first), "links of the chain");
            Expect.That(last.IsAlive, "the last link lives");
        }
        GC.KeepAlive(first);
        s_tables.Add(table);
        return last;
    }

    private static readonly List<object> s_tables = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (DependentHandle[] Handles, object First) Handles(int length)
    {
        object first = new();
        object key = first;
        DependentHandle[] handles = new DependentHandle[length];
        for (int i = 0; i < length; i++)
        {
            object value = new int[] { i };
            handles[length - 1 - i] = new DependentHandle(key, value);
            key = value;
        }
        return (handles, first);
    }

    public static void Run(TextWriter output)
    {
        int length = Work.Scaled(200, 50);
        // A collector may look at every ephemeron once for each link: dead ones of earlier work would be looked at too.
        Heap.Settle();
        s_tables.Clear();
        foreach (bool backwards in (bool[])[false, true])
        {
            WeakReference last = Once(length, backwards);
            Expect.That(Heap.Until(() => !last.IsAlive), "the chain dies with its first key while its table lives");
        }
        (DependentHandle[] handles, object first) = Handles(length);
        for (int round = 0; round < 4; round++)
        {
            Heap.Turn();
            for (int i = 0; i < length; i++)
                if (handles[length - 1 - i].Dependent is not int[] value || value[0] != i)
                    Expect.That(false, $"dependent {i} of the raw chain");
        }
        GC.KeepAlive(first);
        foreach (ref DependentHandle handle in handles.AsSpan())
            handle.Dispose();
        s_tables.Clear();
        output.WriteLine("three chains");
    }
}
