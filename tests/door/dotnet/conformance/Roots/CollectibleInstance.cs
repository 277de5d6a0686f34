// A single instance of a collectible type, old and young, is all that keeps its load context.
// Rule: every instance implicitly refers to its loader allocator, also when the instance is old and the allocator young, and
// through boxes, arrays and delegates of collectible types.
// There is no slot to trace: the collector must ask the runtime for each object of a collectible type.

using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Garner.Conformance;

[Behaviour("roots-collectible-instance", "an instance, array, delegate or type alone keeps its unloaded collectible context working")]
internal static class CollectibleInstance
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (object Kept, WeakReference Context) Make(int kind)
    {
        (AssemblyLoadContext context, object instance) = Plugin.Load();
        ((IComparable<int>)instance).CompareTo(kind + 10);
        context.Unload();
        object kept = kind switch
        {
            0 => instance,
            1 => Array.CreateInstance(instance.GetType(), 3),
            2 => new Func<string?, IFormatProvider?, string>(((IFormattable)instance).ToString),
            3 => instance.GetType(),
            4 => Array.CreateInstance(instance.GetType(), 20_000),
            _ => Activator.CreateInstance(typeof(List<>).MakeGenericType(instance.GetType()))!,
        };
        return (kept, new WeakReference(context, trackResurrection: true));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Use(object kept, int kind)
    {
        string expected = $"{kind + 10} {kind + 10} {kind + 10} True 1 True {kind + 10} 3";
        switch (kept)
        {
            case Func<string?, IFormatProvider?, string> function:
                Expect.Equal(expected, function(null, null));
                break;
            case IFormattable instance:
                Expect.Equal(expected, instance.ToString(null, null));
                break;
            case Array array:
                object? element = Activator.CreateInstance(array.GetType().GetElementType()!);
                array.SetValue(element, 1);
                Expect.Equal(expected, ((IFormattable)array.GetValue(1)!).ToString(null, null));
                break;
            case Type type:
                Expect.Equal(expected, ((IFormattable)Activator.CreateInstance(type)!).ToString(null, null));
                break;
            case System.Collections.IList list:
                list.Add(Activator.CreateInstance(list.GetType().GetGenericArguments()[0]));
                Expect.Equal(expected, ((IFormattable)list[0]!).ToString(null, null));
                break;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Once(int kind)
    {
        (object kept, WeakReference context) = Make(kind);
        for (int round = 0; round < 8; round++)
        {
            Heap.Churn(64);
            if (round < 3)
                Heap.Young();
            else
                Heap.Settle();
            Use(kept, kind);
        }
        return context;
    }

    public static void Run(TextWriter output)
    {
        for (int kind = 0; kind < 6; kind++)
        {
            WeakReference context = Once(kind);
            Expect.That(Heap.Until(() => !context.IsAlive), $"context of kind {kind} unloads when the last thing is dropped");
        }
        output.WriteLine("6 ways of being kept");
    }
}
