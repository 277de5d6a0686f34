// Notifications of a full collection in a process without concurrent collection.
// Rule: after registration, a thread waiting for the approach is woken before a blocking full collection that allocation causes, and
// one waiting for completion after it; cancelling wakes waiters with Canceled.
// The collector itself must foresee its next full collection, and signal from inside an allocation.

namespace Garner.Conformance;

[Behaviour("api-full-gc-notification", "RegisterForFullGCNotification, WaitForFullGCApproach/Complete with gcConcurrent=0: succeed, time out, are cancelled", Settings = "DOTNET_gcConcurrent=0")]
internal static class FullGCNotifications
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCApproach(1));
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCComplete(1));
        GC.RegisterForFullGCNotification(50, 50);
        Expect.Equal(GCNotificationStatus.Timeout, GC.WaitForFullGCApproach(1));
        Expect.Equal(GCNotificationStatus.Timeout, GC.WaitForFullGCComplete(1));
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
}
