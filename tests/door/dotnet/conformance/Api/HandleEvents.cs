// Events of handles through an EventListener: each that is made or stored to is told with its object and that one's generation.
// Rule: a generation is 0 to 2; of a handle that leads to nothing it is 0, of an object that was just made, too.
// On stock the events of a listener that asked for handles alone end with the next collection; on Garner they do not.
// Tools that look for leaked handles sort by these.

using System.Diagnostics.Tracing;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-events-handles", "SetGCHandle and DestroyGCHandle events come for handles, with the generation of what they lead to, 0 for nothing")]
internal static class HandleEvents
{
    private sealed class Listener : RuntimeListener
    {
        public readonly HashSet<ulong> Made = [], Destroyed = [];
        public int OfNothing;
        public uint OldestNothing, Oldest;

        protected override EventKeywords Keywords => (EventKeywords)2; // handles

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            if (e.EventName?.Contains("GCHandle", StringComparison.Ordinal) != true)
                return;
            ulong Of(string field) => NumberOf(e, field);
            lock (Made)
            {
                if (e.EventName.StartsWith("DestroyGCHandle", StringComparison.Ordinal))
                {
                    Destroyed.Add(Of("HandleID"));
                    return;
                }
                Made.Add(Of("HandleID"));
                uint generation = (uint)Of("Generation");
                Oldest = Math.Max(Oldest, generation);
                if (Of("ObjectID") != 0)
                    return;
                OfNothing++;
                OldestNothing = Math.Max(OldestNothing, generation);
            }
        }
    }

    public static void Run(TextWriter output)
    {
        using Listener listener = new();
        object target = new();
        Expect.That(Heap.Wait(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                GCHandle nothing = GCHandle.Alloc(null), some = GCHandle.Alloc(target, (GCHandleType)(i % 4));
                some.Target = null;
                nothing.Free();
                some.Free();
            }
            if (Heap.OnGarner)
                GC.Collect(0);
            lock (listener.Made)
                return listener.OfNothing > 100 && listener.Made.Overlaps(listener.Destroyed);
        }), $"handles are told when they are made and when they go: {listener.OfNothing} of nothing, {listener.Made.Count} made, {listener.Destroyed.Count} destroyed");
        lock (listener.Made)
        {
            Expect.Equal(0u, listener.OldestNothing, "what leads to nothing is of no generation but the youngest");
            Expect.That(listener.Oldest <= 2, $"generations are 0 to 2: {listener.Oldest}");
        }
        GC.KeepAlive(target);
        output.WriteLine("told");
    }
}
