// What weak references show inside a finalizer: short ones nothing, long ones the object; for the object itself and others of its graph.
// Rule: short weak references are cleared for everything unreachable before any finalizer runs, also for what finalizers still reach.
// An object without a finalizer that is kept only for one is dead for short weak references and alive for long ones.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-weak-during", "inside a finalizer short weak references are cleared and long ones still see the object and its graph")]
internal static class WeakDuring
{
    private static int s_runs, s_wrong;

    private sealed class Plain(int number) { public readonly int Number = number; }

    private sealed class Watcher
    {
        private readonly Plain _plain;
        private readonly WeakReference _shortSelf, _longSelf, _shortPlain, _longPlain;

        public Watcher(int number)
        {
            _plain = new Plain(number);
            _shortSelf = new WeakReference(this);
            _longSelf = new WeakReference(this, trackResurrection: true);
            _shortPlain = new WeakReference(_plain);
            _longPlain = new WeakReference(_plain, trackResurrection: true);
            // Kept elsewhere so that the weak reference objects themselves are not finalized with the watcher.
            lock (s_weak)
                s_weak.AddRange([_shortSelf, _longSelf, _shortPlain, _longPlain]);
        }

        ~Watcher()
        {
            bool right = _shortSelf.Target == null && _longSelf.Target == this && _shortPlain.Target == null && _longPlain.Target == _plain;
            if (!right)
                Interlocked.Increment(ref s_wrong);
            Interlocked.Increment(ref s_runs);
        }
    }

    private static readonly List<WeakReference> s_weak = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(int count)
    {
        for (int i = 0; i < count; i++)
            _ = new Watcher(i);
    }

    public static void Run(TextWriter output)
    {
        s_runs = s_wrong = 0;
        s_weak.Clear();
        int count = Work.Scaled(500, 50);
        Make(count);
        Expect.That(Heap.Until(() => Volatile.Read(ref s_runs) == count), "all are finalized");
        Expect.Equal(0, s_wrong, "finalizers that saw the wrong thing");
        Expect.That(Heap.Until(static () => s_weak.TrueForAll(static w => !w.IsAlive)), "later the long ones are cleared too");
        output.WriteLine($"{count} watchers");
    }
}
