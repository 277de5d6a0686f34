// GC.GetTotalPauseDuration over collections.
// Rule: it never falls and grows with every blocking collection; it is no more than the time that has passed.
// The unit is 100 ns; a figure in another unit is off by powers of ten.

using System.Diagnostics;

namespace Garner.Conformance;

[Behaviour("api-pause-duration", "GC.GetTotalPauseDuration grows with collections and stays below the time that passed")]
internal static class PauseDuration
{
    public static void Run(TextWriter output)
    {
        object[] live = [.. Enumerable.Range(0, Work.Scaled(100_000, 5000)).Select(static i => (object)new int[] { i })];
        TimeSpan start = GC.GetTotalPauseDuration();
        long clock = Stopwatch.GetTimestamp();
        TimeSpan last = start;
        for (int i = 0; i < 10; i++)
        {
            GC.Collect();
            TimeSpan now = GC.GetTotalPauseDuration();
            Expect.That(now > last, "a collection pauses for some time");
            last = now;
            Heap.Churn(64);
            Expect.That(GC.GetTotalPauseDuration() >= last, "it never falls");
        }
        TimeSpan elapsed = Stopwatch.GetElapsedTime(clock), paused = GC.GetTotalPauseDuration() - start;
        Expect.That(paused <= elapsed, "pauses are shorter than the time that passed");
        Expect.That(paused.Ticks * 1000 > elapsed.Ticks, "ten collections of live objects are more than a thousandth of it");
        GC.KeepAlive(live);
        output.WriteLine("grows");
    }
}
