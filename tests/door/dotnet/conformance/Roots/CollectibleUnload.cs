// Collectible load contexts: loaded, used, unloaded; the unload completes once nothing refers to them any more.
// Rule: context, assemblies, types and code live until Unload was called and no instance, delegate or frame is left.
// The tie from an instance to its loader allocator has no field; missing it unloads too early, inventing it never.

using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Garner.Conformance;

[Behaviour("roots-collectible-unload", "collectible AssemblyLoadContexts work over collections and their unload completes")]
internal static class CollectibleUnload
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Context, WeakReference Instance, WeakReference Type) Once(int n)
    {
        (AssemblyLoadContext context, object instance) = Plugin.Load();
        Expect.Equal(3 + n, ((IComparable<int>)instance).CompareTo(n));
        Heap.Turn();
        string text = ((IFormattable)instance).ToString(null, null);
        Expect.Equal($"{n} {n} {n} True 1 True {n} 3", text);
        context.Unload();
        // After Unload it still works as long as something is referred to.
        Heap.Turn();
        Expect.Equal(text, ((IFormattable)instance).ToString(null, null));
        return (new WeakReference(context, trackResurrection: true), new WeakReference(instance), new WeakReference(instance.GetType()));
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(6, 2);
        for (int n = 1; n <= count; n++)
        {
            (WeakReference context, WeakReference instance, WeakReference type) = Once(n);
            Expect.That(Heap.Until(() => !context.IsAlive && !instance.IsAlive && !type.IsAlive), $"unload {n} completes");
        }
        output.WriteLine($"{count} contexts unloaded");
    }
}
