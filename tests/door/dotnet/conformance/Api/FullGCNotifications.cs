// Notifications of a full collection in a process without concurrent collection.
// Rule: after registration, a thread waiting for the approach is woken before a blocking full collection that allocation causes, and
// one waiting for completion after it, also one that asks when it is over; so for every such collection; cancelling wakes waiters with Canceled.
// The collector itself must foresee its next full collection, and signal from inside an allocation.

namespace Garner.Conformance;

[Behaviour("api-full-gc-notification", "RegisterForFullGCNotification, WaitForFullGCApproach/Complete with gcConcurrent=0: succeed, time out, are cancelled", Settings = "DOTNET_gcConcurrent=0")]
internal static class FullGCNotifications
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCApproach(1));
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCComplete(1));
        GC.Collect(); // nothing is under way afterwards, nor due
        GC.RegisterForFullGCNotification(50, 50);
        Expect.Equal(GCNotificationStatus.Timeout, GC.WaitForFullGCApproach(1));
        Expect.Equal(GCNotificationStatus.Timeout, GC.WaitForFullGCComplete(1));
        GC.Collect();
        Expect.That(Heap.Forced || GC.WaitForFullGCComplete(50) == GCNotificationStatus.Timeout, "nobody is told that a collection is over which the program asked for, and nobody announced");
        GCNotificationStatus approach = default, complete = default;
        bool stop = false;
        Thread waiter = new(() =>
        {
            approach = GC.WaitForFullGCApproach(30_000);
            complete = GC.WaitForFullGCComplete(30_000);
            Volatile.Write(ref stop, true);
        });
        waiter.Start();
        Queue<byte[]> large = new();
        while (!Volatile.Read(ref stop))
        {
            large.Enqueue(new byte[200_000]);
            if (large.Count > 100)
                large.Dequeue();
        }
        waiter.Join();
        Expect.Equal(GCNotificationStatus.Succeeded, approach);
        Expect.Equal(GCNotificationStatus.Succeeded, complete);
        EveryOne();

        GCNotificationStatus cancelled = default;
        using ManualResetEventSlim waiting = new();
        Thread second = new(() =>
        {
            waiting.Set();
            do
                cancelled = GC.WaitForFullGCApproach(-1);
            while (cancelled == GCNotificationStatus.Succeeded);
        });
        second.Start();
        waiting.Wait();
        Thread.Sleep(50);
        GC.CancelFullGCNotification();
        second.Join();
        Expect.That(cancelled is GCNotificationStatus.Canceled or GCNotificationStatus.NotApplicable, "a waiter is woken by cancelling");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.RegisterForFullGCNotification(0, 50), "threshold 0");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.RegisterForFullGCNotification(50, 100), "threshold 100");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.WaitForFullGCApproach(-2), "timeout -2");
        output.WriteLine($"{approach} {complete}");
    }

    // What is kept grows and dies as a whole, so that most of what is young lives. One allocation may cause two collections, and the second is over before the waiter asks again: what counts
    // is that it is told whenever this thread sees that there were more.
    private static void EveryOne()
    {
        const int Wanted = 5;
        int told = 0;
        bool asking = false;
        Thread waiter = new(() =>
        {
            for (;;)
            {
                Volatile.Write(ref asking, true);
                if (GC.WaitForFullGCApproach(-1) != GCNotificationStatus.Succeeded || GC.WaitForFullGCComplete(-1) != GCNotificationStatus.Succeeded)
                    return;
                Volatile.Write(ref asking, false);
                Volatile.Write(ref told, GC.CollectionCount(2));
            }
        }) { IsBackground = true }; // where an expectation fails it is not waited for
        waiter.Start();
        List<byte[]> kept = [];
        for (int n = 1, seen = 0; seen < Wanted;)
        {
            Expect.That(SpinWait.SpinUntil(() => Volatile.Read(ref asking), 20_000), "the waiter asks again");
            Thread.Sleep(20); // from saying so to asking
            int last = GC.CollectionCount(2);
            for (int now = last; now == last; now = GC.CollectionCount(2), n++)
            {
                kept.Add(new byte[10_000]);
                if (n % 30_000 == 0)
                    kept.Clear();
            }
            Expect.That(SpinWait.SpinUntil(() => Volatile.Read(ref told) > last, 20_000), $"full collections after the {last}th were announced");
            seen++;
        }
        GC.CancelFullGCNotification();
        waiter.Join();
        GC.RegisterForFullGCNotification(50, 50);
    }
}
