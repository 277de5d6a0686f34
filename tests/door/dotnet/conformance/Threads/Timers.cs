// System.Threading.Timer, PeriodicTimer and Task.Delay over collections: active ones fire, forgotten ones are collected.
// Rule: a timer is kept by the timer queue only while someone holds the Timer object; its callback state lives with it.
// Timer queues are linked lists of old objects to which young ones are linked in.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("thread-timers", "timers held by the program fire with their state over collections; forgotten ones are collected")]
internal static class Timers
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Forgotten() => new(new Timer(static _ => { }, null, 1_000_000, 1_000_000));

    public static void Run(TextWriter output)
    {
        int[] fired = new int[20];
        Timer[] timers = new Timer[fired.Length];
        for (int i = 0; i < timers.Length; i++)
        {
            int number = i;
            object state = new int[] { i };
            timers[i] = new Timer(s =>
            {
                if (((int[])s!)[0] == number)
                    Interlocked.Increment(ref fired[number]);
            }, state, 1 + i % 5, 2 + i % 7);
        }
        Expect.That(Heap.Until(() => Array.TrueForAll(fired, static f => f >= 3), 400), "every timer fires three times");
        foreach (Timer timer in timers)
            timer.Dispose();
        WeakReference forgotten = Forgotten();
        Expect.That(Heap.Until(() => !forgotten.IsAlive), "a forgotten timer is collected");
        int ticks = 0;
        Task.Run(async () =>
        {
            using PeriodicTimer periodic = new(TimeSpan.FromMilliseconds(2));
            while (ticks < 10 && await periodic.WaitForNextTickAsync())
            {
                ticks++;
                Heap.Young();
            }
            await Task.WhenAll(Enumerable.Range(0, 200).Select(static i => Task.Delay(i % 10)));
        }).Wait();
        Expect.Equal(10, ticks);
        output.WriteLine("timers fired");
    }
}
