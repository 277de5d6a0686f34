// The pattern of a callback after each full collection: a finalizer that registers itself again.
// Rule: such an object's finalizer runs once after every full collection.
// It is how ArrayPool and others notice memory pressure; the path must be cheap and must never lose the object.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("fin-gen2-callback", "a finalizer that re-registers itself runs again after each full collection, strong and weak targets alike")]
internal static class Gen2Callbacks
{
    private sealed class Callback(Func<bool> action)
    {
        private readonly int[] _own = [1];
        ~Callback()
        {
            if (_own[0] == 1 && action())
                GC.ReRegisterForFinalize(this);
        }
    }

    private static int s_calls;
    private static bool s_goOn;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Register(Func<bool> action) => new(new Callback(action), trackResurrection: true);

    public static void Run(TextWriter output)
    {
        s_calls = 0;
        s_goOn = true;
        WeakReference[] callbacks = new WeakReference[50];
        for (int i = 0; i < callbacks.Length; i++)
            callbacks[i] = Register(static () =>
            {
                Interlocked.Increment(ref s_calls);
                return Volatile.Read(ref s_goOn);
            });
        Heap.Settle();
        GC.WaitForPendingFinalizers(); // a callback that has counted has registered again
        for (int round = 0; round < 10; round++)
        {
            int before = Volatile.Read(ref s_calls);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Expect.That(Volatile.Read(ref s_calls) - before >= callbacks.Length, $"every callback ran after full collection {round}");
        }
        Volatile.Write(ref s_goOn, false);
        Expect.That(Heap.Until(() => Array.TrueForAll(callbacks, static c => !c.IsAlive)), "callbacks that say no are gone");
        output.WriteLine($"{callbacks.Length} callbacks");
    }
}
