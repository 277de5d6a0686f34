// Best-effort longest pause, without events: a thread that reads GC.GetTotalPauseDuration every two milliseconds. It is stopped like every other
// thread during a collection, so it usually reads right after one. When exactly one collection lies between two readings, the difference is its
// stopped time (for a background collection: a part of it). When there were several, the last, by what it says of itself, and the mean of the others
// are what can be told; it is the last that the watch had to wait for. Whoever collects several times in two milliseconds may be told too low.

namespace Garner.Bench;

internal sealed class PauseWatch
{
    private readonly Thread thread;
    private volatile bool stop;
    private TimeSpan longest;
    private TimeSpan total;
    private int collections;

    public PauseWatch()
    {
        Read();
        longest = TimeSpan.Zero;
        thread = new Thread(() =>
        {
            while (!stop)
            {
                Thread.Sleep(2);
                Read();
            }
        })
        { IsBackground = true, Name = "pause watch" };
        thread.Start();
    }

    // Ends the watch and tells the longest pause it has seen.
    public TimeSpan Stop()
    {
        stop = true;
        thread.Join();
        Read();
        return longest;
    }

    // What the last collection says of itself.
    private static TimeSpan LastPause()
    {
        TimeSpan longest = TimeSpan.Zero;
        foreach (TimeSpan pause in GC.GetGCMemoryInfo(GCKind.Any).PauseDurations)
            if (pause > longest) longest = pause;
        return longest;
    }

    private void Read()
    {
        // CollectionCount(0) counts every collection, of whatever generation.
        int nowCollections = GC.CollectionCount(0);
        TimeSpan nowTotal = GC.GetTotalPauseDuration();
        int between = nowCollections - collections;
        TimeSpan pause = nowTotal - total;
        if (between > 1)
        {
            TimeSpan last = LastPause(), mean = (pause - last) / (between - 1);
            pause = last > mean ? last : mean;
        }
        if (pause > longest) longest = pause;
        collections = nowCollections;
        total = nowTotal;
    }
}
