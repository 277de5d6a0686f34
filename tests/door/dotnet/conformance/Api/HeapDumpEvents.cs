// A heap dump through an EventListener: all objects, references and roots as events.
// Rule: enabling the heap-dump keywords causes a full collection whose end walks the whole heap.
// The heap must be walkable then: no gaps, no marks, no forwarding words; each object has a size and a type.

using System.Diagnostics.Tracing;

namespace Garner.Conformance;

[Behaviour("api-events-heapdump", "the heap-dump keywords deliver node, edge and root events of a walk over the whole heap")]
internal static class HeapDumpEvents
{
    private sealed class Listener : EventListener
    {
        public long Nodes, Edges, Roots, Ends;
        private EventSource? _source;

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name == "Microsoft-Windows-DotNETRuntime")
                _source = source;
        }

        // GC | GCHeapDump | ManagedHeapCollect | GCHeapAndTypeNames | Type
        public void Dump() => EnableEvents(_source!, EventLevel.Informational, (EventKeywords)0x1980001);
        public void Stop() => DisableEvents(_source!);

        protected override void OnEventWritten(EventWrittenEventArgs e)
        {
            switch (e.EventName)
            {
                case "GCBulkNode": Interlocked.Add(ref Nodes, (uint)e.Payload![1]!); break;
                case "GCBulkEdge": Interlocked.Add(ref Edges, (uint)e.Payload![1]!); break;
                case "GCBulkRootEdge": Interlocked.Add(ref Roots, (uint)e.Payload![1]!); break;
                case string name when name.StartsWith("GCEnd", StringComparison.Ordinal): Interlocked.Increment(ref Ends); break;
            }
        }
    }

    public static void Run(TextWriter output)
    {
        object[] live = [.. Enumerable.Range(0, 5000).Select(static i => (object)new object[] { i.ToString() })];
        using Listener listener = new();
        for (int round = 0; round < 2; round++)
        {
            long nodes = Volatile.Read(ref listener.Nodes), edges = Volatile.Read(ref listener.Edges), roots = Volatile.Read(ref listener.Roots);
            listener.Dump();
            Expect.That(Heap.Wait(() => Volatile.Read(ref listener.Nodes) - nodes >= 10_000), "the nodes of 5,000 arrays and the strings in them");
            Expect.That(Heap.Wait(() => Volatile.Read(ref listener.Edges) - edges >= 5_000 && Volatile.Read(ref listener.Roots) - roots > 0), "edges and roots");
            listener.Stop();
        }
        Heap.Full();
        for (int i = 0; i < live.Length; i++)
            Expect.Equal(i.ToString(), (string)((object[])live[i])[0]);
        output.WriteLine("dumped");
    }
}
