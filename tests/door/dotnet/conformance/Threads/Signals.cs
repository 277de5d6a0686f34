// A storm of SIGWINCH and SIGCONT to the own process while threads allocate and collect.
// Rule: signals may interrupt any thread at any instruction, also inside a collection and inside system calls of the collector.
// System calls return early; signal handlers run on stacks the collector knows; nothing may be lost for it.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("thread-signals", "handled signals (SIGWINCH, SIGCONT) sent thousands of times during allocation and collections disturb nothing")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static partial class Signals
{
    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    public static void Run(TextWriter output)
    {
        const int Continue = 18, WindowChanged = 28;
        int continued = 0, changed = 0;
        using PosixSignalRegistration first = PosixSignalRegistration.Create(PosixSignal.SIGCONT, context =>
        {
            context.Cancel = true;
            _ = new byte[1000];
            Interlocked.Increment(ref continued);
        });
        using PosixSignalRegistration second = PosixSignalRegistration.Create(PosixSignal.SIGWINCH, context =>
        {
            context.Cancel = true;
            Interlocked.Increment(ref changed);
        });
        int signals = Work.Scaled(4000, 200);
        Crew.Run(4, number =>
        {
            if (number == 0)
            {
                for (int i = 0; i < signals; i++)
                {
                    Expect.Equal(0, Kill(Environment.ProcessId, i % 2 == 0 ? Continue : WindowChanged));
                    if (i % 20 == 0)
                        Thread.Yield();
                }
                return;
            }
            if (number == 1)
            {
                for (int i = 0; i < 60; i++)
                    Heap.Turn();
                return;
            }
            List<string> kept = [];
            for (int i = 0; i < Work.Scaled(60_000, 3000); i++)
                if (i % 100 == 0)
                    kept.Add(i.ToString());
                else
                    _ = new byte[i % 300];
            for (int i = 0; i < kept.Count; i++)
                Expect.Equal((i * 100).ToString(), kept[i]);
        });
        // Pending signals of one kind are merged by the system, so only that handlers run at all can be counted on.
        Expect.That(Heap.Wait(() => Volatile.Read(ref continued) > 0 && Volatile.Read(ref changed) > 0), "both handlers ran");
        int before = Volatile.Read(ref changed);
        Expect.Equal(0, Kill(Environment.ProcessId, WindowChanged));
        Expect.That(Heap.Wait(() => Volatile.Read(ref changed) > before), "a signal after the storm arrives");
        output.WriteLine("signals handled");
    }
}
