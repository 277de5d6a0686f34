// Objects whose constructor throws, or that were never constructed, are finalized too, with fields still zero.
// Rule: an object is registered when it is allocated, not when its constructor has run.
// The collector may find an object in the finalization queue in which nothing was ever stored.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-failed-constructor", "objects with a throwing constructor or none at all are finalized with zero fields")]
internal static class FailedConstructors
{
    private static int s_unset, s_set;

    private sealed class Throws
    {
        private readonly object? _field;

        public Throws(bool now)
        {
            if (now)
                throw new InvalidOperationException();
            _field = new object();
        }

        ~Throws() => Interlocked.Increment(ref _field == null ? ref s_unset : ref s_set);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
            switch (i % 3)
            {
                case 0:
                    try
                    {
                        _ = new Throws(true);
                    }
                    catch (InvalidOperationException)
                    {
                        if (i % 60 == 0)
                            Heap.Turn();
                    }
                    break;
                case 1:
                    _ = new Throws(false);
                    break;
                default:
                    _ = RuntimeHelpers.GetUninitializedObject(typeof(Throws));
                    break;
            }
    }

    public static void Run(TextWriter output)
    {
        s_unset = s_set = 0;
        int count = Work.Scaled(600, 60) / 3 * 3;
        Make(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref s_unset) == count / 3 * 2 && Volatile.Read(ref s_set) == count / 3), "all three kinds are finalized");
        output.WriteLine($"{s_unset} unset, {s_set} set");
    }
}
