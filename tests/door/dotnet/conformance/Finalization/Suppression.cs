// GC.SuppressFinalize: suppressed objects are not finalized, before and after promotion, and their memory is freed at once.
// Rule: the header bit set by SuppressFinalize belongs to the object and moves with it.
// The bit shares a word with lock and hash; whoever rewrites the header on copying loses it.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-suppress", "suppressed objects are never finalized, also when locked, hashed and moved after suppression")]
internal static class Suppression
{
    private sealed class Quiet(bool loud)
    {
        public static int Loud, Wrong;
        private readonly bool _loud = loud;
        ~Quiet() => Interlocked.Increment(ref _loud ? ref Loud : ref Wrong);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> Make(int count)
    {
        List<WeakReference> weak = [];
        Quiet[] all = new Quiet[count];
        for (int i = 0; i < count; i++)
        {
            Quiet quiet = all[i] = new Quiet(i % 5 == 0);
            if (i % 3 == 0)
                _ = quiet.GetHashCode();
            if (i % 5 != 0)
                GC.SuppressFinalize(quiet);
            if (i % 4 == 0)
                lock (quiet)
                    weak.Add(new WeakReference(quiet));
            if (i % 7 == 0)
                lock (quiet)
                    _ = quiet.GetHashCode();
        }
        Heap.Turn();
        Heap.Turn();
        Heap.Turn();
        GC.KeepAlive(all);
        return weak;
    }

    public static void Run(TextWriter output)
    {
        Quiet.Loud = Quiet.Wrong = 0;
        int count = Work.Scaled(3000, 300);
        List<WeakReference> weak = Make(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref Quiet.Loud) == count / 5), "the others are finalized");
        Expect.That(Heap.Until(() => weak.TrueForAll(static w => !w.IsAlive)), "all are gone");
        Expect.Equal(0, Quiet.Wrong, "suppressed objects that were finalized");
        Expect.Throws<ArgumentNullException>(static () => GC.SuppressFinalize(null!), "SuppressFinalize(null)");
        output.WriteLine($"{count / 5} of {count} finalized");
    }
}
