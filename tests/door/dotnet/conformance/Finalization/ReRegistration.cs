// GC.ReRegisterForFinalize: from the finalizer itself, from outside, and more than once.
// Rule: each registration gives one more run after the object became unreachable.
// Registration of an old object puts it into a queue whose entries are sorted by age.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-reregister", "ReRegisterForFinalize runs the finalizer again, a bounded number of times, also for resurrected objects")]
internal static class ReRegistration
{
    private sealed class Again(int times)
    {
        public static int Runs;
        private int _left = times;
        private readonly int[] _own = [times];

        ~Again()
        {
            Interlocked.Increment(ref Runs);
            if (_own[0] < 0)
                Interlocked.Add(ref Runs, 1_000_000);
            if (--_left > 0)
                GC.ReRegisterForFinalize(this);
        }
    }

    private sealed class Twice
    {
        public static int Runs;
        ~Twice() => Interlocked.Increment(ref Runs);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Make(int count)
    {
        int expected = 0;
        for (int i = 0; i < count; i++)
        {
            _ = new Again(i % 5 + 1);
            expected += i % 5 + 1;
        }
        return expected;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeTwice(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Twice twice = new();
            if (i % 2 == 0)
                Heap.Apart(() => GC.KeepAlive(twice));
            // A suppressed object that is registered again is finalized once.
            GC.SuppressFinalize(twice);
            GC.ReRegisterForFinalize(twice);
        }
    }

    public static void Run(TextWriter output)
    {
        Again.Runs = Twice.Runs = 0;
        int count = Work.Scaled(500, 50);
        int expected = Make(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref Again.Runs) >= expected), "as many runs as registrations");
        Heap.Settle();
        Heap.Settle();
        Expect.Equal(expected, Again.Runs, "runs of re-registered objects");
        MakeTwice(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref Twice.Runs) >= count), "suppressed and registered again");
        Heap.Settle();
        Expect.Equal(count, Twice.Runs, "runs of objects suppressed and registered again");
        Expect.Throws<ArgumentNullException>(static () => GC.ReRegisterForFinalize(null!), "ReRegisterForFinalize(null)");
        GC.ReRegisterForFinalize(new object());
        Heap.Settle();
        output.WriteLine($"{expected} runs");
    }
}
