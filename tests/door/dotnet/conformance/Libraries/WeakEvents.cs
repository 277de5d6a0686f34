// The weak-event pattern: a source that holds its listeners weakly, with handlers in a ConditionalWeakTable.
// Rule: a listener is called while someone else holds it, and may be collected otherwise.
// Weak references, closed delegates and ephemerons together, thinned out while they are walked.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("lib-weak-events", "weak event sources call living listeners only and forget collected ones")]
internal static class WeakEvents
{
    private sealed class Source
    {
        private readonly List<WeakReference<Action<int>>> _handlers = [];
        private readonly ConditionalWeakTable<object, List<Action<int>>> _lifetimes = [];

        public int Known => _handlers.Count;

        public void Subscribe(object owner, Action<int> handler)
        {
            _handlers.Add(new WeakReference<Action<int>>(handler));
            _lifetimes.GetOrCreateValue(owner).Add(handler);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Raise(int value)
        {
            int called = 0;
            for (int i = _handlers.Count - 1; i >= 0; i--)
                if (_handlers[i].TryGetTarget(out Action<int>? handler))
                {
                    handler(value);
                    called++;
                }
                else
                {
                    _handlers.RemoveAt(i);
                }
            return called;
        }
    }

    private sealed class Listener { public int Heard; public void Hear(int value) => Heard += value; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Listener[] Subscribe(Source source, int count)
    {
        List<Listener> kept = [];
        for (int i = 0; i < count; i++)
        {
            Listener listener = new();
            source.Subscribe(listener, listener.Hear);
            if (i % 3 == 0)
                kept.Add(listener);
        }
        return [.. kept];
    }

    public static void Run(TextWriter output)
    {
        Source source = new();
        int count = Work.Scaled(900, 90) / 3 * 3;
        Listener[] kept = Subscribe(source, count);
        Expect.That(Heap.Until(() => { source.Raise(0); return source.Known == count / 3; }), "forgotten listeners go");
        for (int round = 1; round <= 5; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            Expect.Equal(kept.Length, source.Raise(round), "listeners called");
        }
        foreach (Listener listener in kept)
            Expect.Equal(1 + 2 + 3 + 4 + 5, listener.Heard);
        output.WriteLine($"{kept.Length} listeners");
    }
}
