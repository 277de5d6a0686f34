// GC.GetTotalPauseDuration with several threads that ask for collections at the same time.
// Rule: the program stands still for one collection at a time, so the sum of all pauses is never more than the time that has passed;
// a thread's wait for somebody else's collection is no pause of its own collection.

using System.Diagnostics;

namespace Garner.Conformance;

[Behaviour("api-pause-duration-threads", "pauses of collections that several threads ask for at the same time do not add up to more than the time that passed")]
internal static class PauseDurationThreads
{
    public static void Run(TextWriter output)
    {
        object[] live = [.. Enumerable.Range(0, Work.Scaled(200_000, 1000)).Select(static i => (object)i)];
        TimeSpan before = GC.GetTotalPauseDuration();
        long start = Stopwatch.GetTimestamp();
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(static _ => new Thread(static () =>
        {
            for (int i = 0; i < 10; i++)
                GC.Collect();
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        TimeSpan passed = Stopwatch.GetElapsedTime(start), paused = GC.GetTotalPauseDuration() - before;
        Expect.That(paused <= passed, $"paused {paused.TotalMilliseconds} ms in {passed.TotalMilliseconds} ms");
        Expect.That(paused > TimeSpan.Zero, "pauses take time");
        GC.KeepAlive(live);
        output.WriteLine("one pause at a time");
    }
}
