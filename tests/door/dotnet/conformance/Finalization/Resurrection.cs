// Finalizers that make their object reachable again, with everything it refers to.
// Rule: a resurrected object is an ordinary object again, but its finalizer does not run a second time.
// The object and its whole graph are kept for the finalizer: they were garbage to the marker a moment before.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-resurrection", "resurrected objects and their graphs are whole and are not finalized again")]
internal static class Resurrection
{
    private sealed class Node(int depth)
    {
        public readonly int Depth = depth;
        public readonly Node? Below = depth > 0 ? new Node(depth - 1) : null;
        public readonly string Text = $"depth {depth}";
    }

    private sealed class Riser(int number)
    {
        public static readonly List<Riser> Risen = [];
        public static int Runs;
        public readonly int Number = number;
        public readonly Node Graph = new(number % 20);
        ~Riser()
        {
            Interlocked.Increment(ref Runs);
            lock (Risen)
                Risen.Add(this);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Riser(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Verify(int count)
    {
        bool[] seen = new bool[count];
        foreach (Riser riser in Riser.Risen)
        {
            Expect.That(!seen[riser.Number], "each once");
            seen[riser.Number] = true;
            int depth = riser.Number % 20;
            for (Node? node = riser.Graph; node != null; node = node.Below)
                Expect.That(node.Depth == depth && node.Text == $"depth {depth--}", $"graph of {riser.Number}");
            Expect.Equal(-1, depth);
        }
    }

    public static void Run(TextWriter output)
    {
        Riser.Risen.Clear();
        Riser.Runs = 0;
        int count = Work.Scaled(1000, 50);
        Make(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref Riser.Runs) == count), "all are finalized");
        for (int round = 0; round < 5; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            Heap.Apart(() => Verify(count));
        }
        WeakReference weak = Drop();
        Expect.That(Heap.Until(() => !weak.IsAlive), "dropped again they are collected");
        Heap.Settle();
        Expect.Equal(count, Riser.Runs, "finalizer runs");
        output.WriteLine($"{count} risen");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Drop()
    {
        WeakReference weak = new(Riser.Risen[^1], trackResurrection: true);
        Riser.Risen.Clear();
        Riser.Risen.Capacity = 0;
        return weak;
    }
}
