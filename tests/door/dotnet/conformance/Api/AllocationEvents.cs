// Allocation events (verbose GC keyword) through an EventListener.
// Rule: about every 100 KB of allocation an event with the amount, the kind and the type name.
// Fired from inside the allocation on the allocating thread, for small, large and pinned objects.

using System.Diagnostics.Tracing;

namespace Garner.Conformance;

[Behaviour("api-events-allocation", "GCAllocationTick events come for small, large and pinned allocations with their type names")]
internal static class AllocationEvents
{
    private sealed class Sample { public long A, B, C, D; }

    private sealed class Listener : RuntimeListener
    {
        public readonly HashSet<uint> Kinds = [];
        public readonly HashSet<string> Types = [];
        public int Ticks;

        protected override EventLevel Level => EventLevel.Verbose;

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            if (e.EventName?.StartsWith("GCAllocationTick", StringComparison.Ordinal) != true)
                return;
            lock (Kinds)
            {
                Ticks++;
                Kinds.Add((uint)e.Payload![e.PayloadNames!.IndexOf("AllocationKind")]!);
                Types.Add((string)e.Payload[e.PayloadNames.IndexOf("TypeName")]!);
            }
        }
    }

    public static void Run(TextWriter output)
    {
        using Listener listener = new();
        Expect.That(Heap.Wait(() =>
        {
            for (int i = 0; i < 20_000; i++)
                GC.KeepAlive(new Sample());
            for (int i = 0; i < 20; i++)
                GC.KeepAlive(new byte[150_000]);
            for (int i = 0; i < 200; i++)
                GC.KeepAlive(GC.AllocateArray<byte>(2000, pinned: true));
            lock (listener.Kinds)
                return listener.Ticks > 20 && listener.Kinds.Count == 3 && listener.Types.Contains(nameof(Sample)) && listener.Types.Contains("System.Byte[]");
        }), "ticks of small, large and pinned objects, with type names");
        output.WriteLine("ticks");
    }
}
