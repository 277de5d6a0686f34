// What the collectible-assembly behaviours load a second time, into a collectible load context of its own: types whose statics,
// thread statics, generics, finalizers and instances exist once per context.

using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Garner.Conformance;

/// <summary>Seen from outside through interfaces of the core library only: types of this assembly are different in each context.</summary>
internal sealed class Plugin : IComparable<int>, IFormattable
{
    public static object? Object;
    public static (string Text, int Number, object? Ref) Struct;
    public static readonly Dictionary<string, int[]> Table = [];
    [ThreadStatic] private static object? t_object;
    private readonly int[] _own = [1, 2, 3];

    private static class Generic<T> { public static List<T>? Values; }

    /// <summary>Puts n into every static.</summary>
    public int CompareTo(int n)
    {
        Object = new int[] { n };
        Struct = (n.ToString(), n, Object);
        Table[n.ToString()] = [n];
        t_object = Object;
        Generic<string>.Values = [n.ToString()];
        Generic<Plugin>.Values = [this];
        return _own[2] + n;
    }

    /// <summary>Reads every static back.</summary>
    public string ToString(string? format, IFormatProvider? provider) =>
        $"{((int[])Object!)[0]} {Struct.Text} {Struct.Number} {ReferenceEquals(Struct.Ref, Object)} {Table.Count} "
        + $"{(t_object == null ? "unset" : ReferenceEquals(t_object, Object))} {Generic<string>.Values![0]} {Generic<Plugin>.Values![0]._own.Length}";

    /// <summary>A fresh collectible context with its own copy of this assembly, and an instance of its Plugin.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static (AssemblyLoadContext Context, object Instance) Load()
    {
        AssemblyLoadContext context = new("plugin", isCollectible: true);
        Type type = context.LoadFromAssemblyPath(typeof(Plugin).Assembly.Location).GetType(typeof(Plugin).FullName!)!;
        Expect.That(type != typeof(Plugin) && type.IsCollectible, "the copy is another type, and collectible");
        return (context, Activator.CreateInstance(type)!);
    }
}
