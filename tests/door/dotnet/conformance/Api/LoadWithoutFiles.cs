// The memory load in a process that has no file descriptor left.
// Rule: what the system's files said last holds on while they cannot be opened: a server that has run out of descriptors is not told that it has run out of memory, too, or its pools
// and caches would let everything go. And GC.RefreshMemoryLimit takes no limit away then.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("api-memory-load-no-files", "with no file descriptor left the memory load is what it was, and RefreshMemoryLimit leaves the available memory as it is")]
internal static partial class LoadWithoutFiles
{
    private struct Limit { public ulong Now, Most; }

    private const int Files = 7; // RLIMIT_NOFILE
    [DllImport("libc", SetLastError = true)] private static extern int getrlimit(int resource, out Limit limit);
    [DllImport("libc", SetLastError = true)] private static extern int setrlimit(int resource, in Limit limit);
    [DllImport("libc", SetLastError = true, CharSet = CharSet.Ansi)] private static extern int open(string path, int flags);
    [DllImport("libc", SetLastError = true)] private static extern int close(int file);

    private static (double Load, long Available) Told()
    {
        Thread.Sleep(150); // longer than an answer is remembered
        GCMemoryInfo info = GC.GetGCMemoryInfo();
        return ((double)info.MemoryLoadBytes / info.TotalAvailableMemoryBytes, info.TotalAvailableMemoryBytes);
    }

    public static void Run(TextWriter output)
    {
        GC.Collect();
        (double load, long available) = Told();
        Expect.Equal(0, getrlimit(Files, out Limit before));
        List<int> opened = [];
        Limit few = before with { Now = Math.Min(before.Now, 256) };
        Expect.Equal(0, setrlimit(Files, few));
        for (int file; (file = open("/dev/null", 0)) >= 0;)
            opened.Add(file);
        (double without, long left) = Told();
        GC.RefreshMemoryLimit();
        (_, long refreshed) = Told();
        foreach (int file in opened)
            close(file);
        Expect.Equal(0, setrlimit(Files, before));
        Expect.That(opened.Count > 0, "descriptors were there, and then none");
        if (Heap.OnGarner)
        {
            Expect.That(Math.Abs(without - load) < 0.3, $"the load: {load:f2}, then {without:f2}");
            Expect.Equal(available, left);
            Expect.Equal(available, refreshed);
        }
        output.WriteLine("told without files");
    }
}
