// A storm of signals on a program at work. They go to the process, as the system sends them, and to each thread by turns, the collector's
// own included. Most handlers are the runtime's, which let interrupted system calls go on by themselves; one is like that of a native
// library that does not care: SIGUSR2 makes a wait return early, in a worker too.
// The runtime's handler writes a byte into a pipe for each, which another thread of the runtime reads; a pipe takes 65,536 of them.
// Fewer are under way here at any time, so that nobody blocks in a handler while the reader waits for the end of a collection.

using System.Runtime.InteropServices;

namespace Garner.Endurance;

internal static partial class Signals
{
    private const int MostPending = 20_000;
    private const int LoadThreads = 3;
    private const int User2 = 12;
    private static readonly int[] s_handledByRuntime = [10, 17, 18, 28]; // SIGUSR1, SIGCHLD, SIGCONT, SIGWINCH
    // Handlers of the runtime nest on an alternate stack of 16 KiB, which five at once overflow: a thread gets two kinds only.
    private static readonly int[] s_toThreads = [10, User2];
    private static int s_handled;

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "tgkill")]
    private static partial int ThreadKill(int process, int thread, int signal);

    [StructLayout(LayoutKind.Sequential)]
    private unsafe struct Action
    {
        public nint Handler;
        public fixed ulong Mask[16];
        public int Flags;
        public nint Restorer;
    }

    [LibraryImport("libc", EntryPoint = "sigaction")]
    private static partial int SignalAction(int signal, in Action action, nint before);

    // No SA_RESTART; all other signals wait meanwhile. abs does nothing with its argument, the signal's number.
    private static unsafe void InterruptWaits(int signal)
    {
        Action action = new() { Handler = NativeLibrary.GetExport(NativeLibrary.Load("libc.so.6"), "abs") };
        for (int i = 0; i < 16; i++)
            action.Mask[i] = ~0UL;
        if (SignalAction(signal, action, 0) != 0)
            throw new InvalidOperationException("sigaction");
    }

    public static int Storm(int count, int rounds)
    {
        List<PosixSignalRegistration> registrations = [];
        foreach (int signal in s_handledByRuntime)
            registrations.Add(PosixSignalRegistration.Create((PosixSignal)signal, static context =>
            {
                context.Cancel = true;
                _ = new byte[100]; // handlers are managed code: they allocate too
                Interlocked.Increment(ref s_handled);
            }));

        InterruptWaits(User2);

        ulong[] sums = new ulong[LoadThreads];
        bool over = false;
        int done = 0;
        Exception? failure = null;
        Thread[] load = new Thread[LoadThreads];
        for (int t = 0; t < LoadThreads; t++)
        {
            int number = t;
            load[t] = new Thread(() =>
            {
                try
                {
                    for (int round = 0; round < rounds || !Volatile.Read(ref over); round++)
                    {
                        Table table = new(20_000, (ulong)number + 7);
                        for (int i = 0; i < 10; i++)
                        {
                            table.Replace(10_000);
                            if (number == 0)
                                GC.Collect(i % 5 == 4 ? 2 : i % 2);
                        }
                        if (round == 0)
                            sums[number] = table.Sum;
                        else if (table.Sum != sums[number])
                            throw new InvalidOperationException($"thread {number}, round {round}: another checksum");
                    }
                }
                catch (Exception e)
                {
                    failure = e;
                }
                Interlocked.Increment(ref done);
            });
            load[t].Start();
        }

        int sent = 0, toThreads = 0, quiet = 0;
        while (sent < count)
        {
            foreach (string task in Directory.GetDirectories("/proc/self/task"))
                for (int i = 0; i < 4; i++, sent++)
                {
                    // A thread may have ended since the directory was read; then nothing is sent.
                    if (ThreadKill(Environment.ProcessId, int.Parse(Path.GetFileName(task)), s_toThreads[sent % s_toThreads.Length]) == 0)
                        toThreads++;
                }
            for (int i = 0; i < 100; i++, sent++)
                if (Kill(Environment.ProcessId, s_handledByRuntime[sent % s_handledByRuntime.Length]) != 0)
                    return 3;
            if (sent - quiet < MostPending)
                continue;
            // The system merges pending signals of one kind, so "handled" never reaches "sent": handled up is when it stands still.
            for (int before = -1, still = 0; still < 3; still = before == Volatile.Read(ref s_handled) ? still + 1 : 0)
            {
                before = Volatile.Read(ref s_handled);
                Thread.Sleep(5);
            }
            quiet = sent;
        }
        Volatile.Write(ref over, true);
        foreach (Thread thread in load)
            thread.Join();
        if (failure != null)
        {
            Console.Error.WriteLine(failure);
            return 1;
        }
        Console.WriteLine($"checksum {sums.Aggregate(0UL, static (all, sum) => (all ^ sum) * 0xBF58476D1CE4E5B9UL):x16}");
        Console.Error.WriteLine($"sent {sent}, {toThreads} of them to threads; handled {s_handled}; {GC.CollectionCount(0)} collections");
        foreach (PosixSignalRegistration registration in registrations)
            registration.Dispose();
        return sent >= count && s_handled > 100 ? 0 : 4;
    }
}
