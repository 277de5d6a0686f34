// Locks on objects that move while they are locked: uncontended, recursive, contended, by several threads.
// Rule: a lock belongs to the object wherever it is; the lock word, or the number of the sync block, moves with it.
// The header lies before the object's address and is easy to leave behind.

namespace Garner.Conformance;

[Behaviour("sync-lock-moving", "locks held over moves stay held, recursive ones count, contended ones exclude")]
internal static class LockMoving
{
    private sealed class Guarded { public int A, B; }

    public static void Run(TextWriter output)
    {
        object[] thin = new object[500];
        for (int i = 0; i < thin.Length; i++)
            thin[i] = i % 2 == 0 ? new Guarded() : new int[i % 7];
        foreach (object o in thin)
        {
            Monitor.Enter(o);
            Monitor.Enter(o);
        }
        for (int round = 0; round < 3; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            foreach (object o in thin)
                Expect.That(Monitor.IsEntered(o), "held after a move");
        }
        Crew.Run(1, _ => Expect.That(Array.TrueForAll(thin, static o => !Monitor.IsEntered(o) && !Monitor.TryEnter(o)), "another thread cannot enter"));
        foreach (object o in thin)
        {
            Monitor.Exit(o);
            Expect.That(Monitor.IsEntered(o), "held once more");
            Monitor.Exit(o);
            Expect.That(!Monitor.IsEntered(o), "free");
        }
        Expect.Throws<SynchronizationLockException>(() => Monitor.Exit(thin[0]), "Exit of a free lock");

        Guarded[] guarded = [new(), new(), new()];
        int turns = Work.Scaled(8000, 400);
        Crew.Run(5, number =>
        {
            for (int i = 0; i < turns; i++)
            {
                if (number == 4)
                {
                    if (i % 200 == 0)
                        Heap.Turn();
                    continue;
                }
                Guarded g = guarded[i % guarded.Length];
                lock (g)
                {
                    Expect.That(g.A == g.B, "inside");
                    g.A++;
                    g.B++;
                }
            }
        });
        Expect.Equal(4 * turns, guarded.Sum(static g => g.A));
        output.WriteLine("locks held");
    }
}
