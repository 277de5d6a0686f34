// GC.RegisterNoGCRegionCallback: called on the finalizer thread when more than the given amount was allocated in the region, and
// never otherwise.
// Rule: the callback runs once; the region goes on; ending the region early drops a callback that was not due.
// The collector must notice the amount inside the region, when it would otherwise do nothing at all.

namespace Garner.Conformance;

[Behaviour("api-nogc-callback", "RegisterNoGCRegionCallback runs its callback once the amount is allocated, off the allocating thread, and only then", Settings = "DOTNET_GCDynamicAdaptationMode=0")]
internal static class NoGCCallbacks
{
    public static void Run(TextWriter output)
    {
        Heap.Settle();
        const long Total = 50_000_000;
        // A server collector may promise the total in equal shares to its heaps, and one thread may get no more than its heap's share.
        int shares = System.Runtime.GCSettings.IsServerGC ? Environment.ProcessorCount : 1;
        Expect.That(GC.TryStartNoGCRegion(Total), "a region");
        int called = 0, thread = 0;
        GC.RegisterNoGCRegionCallback(Total / 4 / shares, () =>
        {
            thread = Environment.CurrentManagedThreadId;
            Interlocked.Increment(ref called);
        });
        for (long allocated = 0; allocated < Total / 2 / shares; allocated += 1024)
            GC.KeepAlive(new byte[1000]);
        Expect.That(Heap.Wait(() => Volatile.Read(ref called) > 0), "the callback was called");
        Expect.That(thread != Environment.CurrentManagedThreadId, "on another thread");
        GC.EndNoGCRegion();
        Expect.Equal(1, called, "calls");

        Heap.Settle();
        Expect.That(GC.TryStartNoGCRegion(Total), "another region");
        int early = 0;
        GC.RegisterNoGCRegionCallback(Total / 2, () => Interlocked.Increment(ref early));
        Expect.Throws<InvalidOperationException>(static () => GC.RegisterNoGCRegionCallback(1000, static () => { }), "a second callback");
        GC.KeepAlive(new byte[1000]);
        GC.EndNoGCRegion();
        Heap.Settle();
        Expect.Equal(0, early, "calls of a callback that was not due");
        output.WriteLine("called once");
    }
}
