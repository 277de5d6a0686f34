// SafeHandles: disposed, finalized, reference-counted during a use, and never released twice.
// Rule: ReleaseHandle runs exactly once, on Dispose or from the critical finalizer.
// The wrapper may be found unreachable while native code uses the handle; KeepAlive and reference counts prevent that.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("fin-safehandle", "SafeHandle.ReleaseHandle runs exactly once, disposed or finalized, never during a counted use")]
internal static class SafeHandles
{
    private static readonly int[] s_released = new int[4000];

    private sealed class Numbered : SafeHandle
    {
        public Numbered(int number) : base(-1, ownsHandle: true) => SetHandle(number);
        public override bool IsInvalid => handle == -1;
        protected override bool ReleaseHandle()
        {
            Interlocked.Increment(ref s_released[(int)handle]);
            return true;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Numbered handle = new(i);
            switch (i % 4)
            {
                case 0:
                    handle.Dispose();
                    handle.Dispose();
                    break;
                case 1:
                    bool added = false;
                    handle.DangerousAddRef(ref added);
                    handle.Dispose();
                    Expect.Equal(0, s_released[i], "released during a counted use");
                    handle.DangerousRelease();
                    break;
                case 2:
                    using (handle)
                        if (i % 100 == 2)
                            Heap.Turn();
                    break;
            }
        }
    }

    public static void Run(TextWriter output)
    {
        Array.Clear(s_released);
        int count = Work.Scaled(s_released.Length, 400);
        Make(count);
        Expect.That(Heap.Until(() => s_released.Sum() == count), "all are released");
        for (int i = 0; i < count; i++)
            Expect.Equal(1, s_released[i], $"releases of handle {i}");
        using (FileStream file = new(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 4096, FileOptions.DeleteOnClose))
        {
            for (int i = 0; i < 50; i++)
            {
                file.Write(new byte[1000]);
                Heap.Young();
            }
            output.WriteLine($"{count} released, file of {file.Length}");
        }
    }
}
