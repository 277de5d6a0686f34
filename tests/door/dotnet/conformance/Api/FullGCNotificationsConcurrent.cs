// Notifications of a full collection in a process with concurrent collection, where they are documented as not available.
// Rule: registration is refused with InvalidOperationException or accepted without effect; waits return within their time.
// Either way nothing hangs.

using System.Diagnostics;

namespace Garner.Conformance;

[Behaviour("api-full-gc-notification-concurrent", "full-collection notifications with concurrent collection: refused or without effect, waits end in time", Settings = "DOTNET_gcConcurrent=1")]
internal static class FullGCNotificationsConcurrent
{
    public static void Run(TextWriter output)
    {
        long start = Stopwatch.GetTimestamp();
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCApproach(10));
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCComplete(TimeSpan.FromMilliseconds(10)));
        bool registered = true;
        try
        {
            GC.RegisterForFullGCNotification(50, 50);
        }
        catch (InvalidOperationException)
        {
            registered = false;
        }
        for (int i = 0; i < 5; i++)
        {
            GCNotificationStatus approach = GC.WaitForFullGCApproach(10), complete = GC.WaitForFullGCComplete(10);
            Expect.That(registered || (approach == GCNotificationStatus.NotApplicable && complete == GCNotificationStatus.NotApplicable), "not applicable when refused");
            Heap.Churn(2048);
            Heap.Full();
        }
        if (registered)
            GC.CancelFullGCNotification();
        Expect.Equal(GCNotificationStatus.NotApplicable, GC.WaitForFullGCApproach(10));
        Expect.That(Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(30), "waits ended in time");
        output.WriteLine("waits end");
    }
}
