// Best-effort longest pause, without events or allocation: a thread that reads GC.GetTotalPauseDuration every two milliseconds. It is stopped like
// every other thread during a collection, so it usually reads right after one. When exactly one collection lies between two readings, the
// difference is its stopped time (for a background collection: a part of it); when there were several, their mean is what can be told.

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
        // What the last collection says of itself: it counts when several collections lay between the last two readings.
        foreach (TimeSpan pause in GC.GetGCMemoryInfo(GCKind.Any).PauseDurations)
            if (pause > longest) longest = pause;
        return longest;
    }

    private void Read()
    {
        // CollectionCount(0) counts every collection, of whatever generation.
        int nowCollections = GC.CollectionCount(0);
        TimeSpan nowTotal = GC.GetTotalPauseDuration();
        int between = Math.Max(1, nowCollections - collections);
        TimeSpan pause = (nowTotal - total) / between;
        if (pause > longest) longest = pause;
        collections = nowCollections;
        total = nowTotal;
    }
}
