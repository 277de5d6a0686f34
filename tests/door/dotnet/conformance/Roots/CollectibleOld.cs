// A larger array of a collectible type, made while its load context is young, is all that keeps that context.
// Rule: as for every instance, whatever generation the collector makes it in. Above the threshold for large objects the runtime's own barrier sees to the tie to the loader; GCLOHThreshold
// raises that threshold, and an array below it may still be too large for where small objects are made.
// A collector that places such an array among the old must remember the tie itself, as no barrier has.

using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Garner.Conformance;

[Behaviour("roots-collectible-old", "a large array below GCLOHThreshold alone keeps its young collectible context over young collections", Settings = "DOTNET_GCLOHThreshold=0x400000")]
internal static class CollectibleOld
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (Array Kept, WeakReference Context) Make()
    {
        (AssemblyLoadContext context, object instance) = Plugin.Load();
        ((IComparable<int>)instance).CompareTo(10);
        context.Unload();
        return (Array.CreateInstance(instance.GetType(), 60_000), new WeakReference(context, trackResurrection: true));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Once()
    {
        (Array kept, WeakReference context) = Make();
        for (int round = 0; round < 12; round++)
        {
            Heap.Churn(64);
            Heap.Young();
            GC.WaitForPendingFinalizers();
        }
        object element = Activator.CreateInstance(kept.GetType().GetElementType()!)!;
        kept.SetValue(element, 1);
        Expect.Equal("10 10 10 True 1 True 10 3", ((IFormattable)kept.GetValue(1)!).ToString(null, null));
        GC.KeepAlive(kept);
        return context;
    }

    public static void Run(TextWriter output)
    {
        for (int round = 0; round < 3; round++)
        {
            WeakReference context = Once();
            Expect.That(Heap.Until(() => !context.IsAlive), "the context unloads when the array is dropped");
        }
        output.WriteLine("kept");
    }
}
