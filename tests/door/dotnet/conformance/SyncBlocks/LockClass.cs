// System.Threading.Lock, ReaderWriterLockSlim, SemaphoreSlim, SpinLock and Mutex over collections.
// Rule: these locks are ordinary objects with fields, handles and wait queues.
// They mix managed state with native waits; a thread may be suspended at any point between the two.

namespace Garner.Conformance;

[Behaviour("sync-lock-classes", "Lock, ReaderWriterLockSlim, SemaphoreSlim, Mutex and SpinLock exclude while collections run")]
internal static class LockClass
{
    public static void Run(TextWriter output)
    {
        Lock gate = new();
        using ReaderWriterLockSlim readerWriter = new();
        using SemaphoreSlim semaphore = new(1);
        using Mutex mutex = new();
        SpinLock spin = new(enableThreadOwnerTracking: false);
        int[] counts = new int[5];
        int turns = Work.Scaled(1500, 100);
        Crew.Run(5, number =>
        {
            if (number == 4)
            {
                for (int i = 0; i < 40; i++)
                    Heap.Turn();
                return;
            }
            for (int i = 0; i < turns; i++)
            {
                lock (gate)
                    counts[0]++;
                readerWriter.EnterUpgradeableReadLock();
                readerWriter.EnterWriteLock();
                counts[1]++;
                readerWriter.ExitWriteLock();
                readerWriter.ExitUpgradeableReadLock();
                semaphore.Wait();
                counts[2]++;
                semaphore.Release();
                mutex.WaitOne();
                counts[3]++;
                mutex.ReleaseMutex();
                bool taken = false;
                spin.Enter(ref taken);
                counts[4]++;
                spin.Exit();
                if (i % 100 == 0)
                    Heap.Churn(8);
            }
        });
        foreach (int count in counts)
            Expect.Equal(4 * turns, count);
        output.WriteLine("five kinds of locks");
    }
}
