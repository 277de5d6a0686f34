// Statics of generic types, one set per instantiation, over many instantiations made at run time.
// Rule: every instantiation has its own statics, each a root; shared code finds them through the type.
// New static slots are allocated while the program runs, between and during collections.

namespace Garner.Conformance;

[Behaviour("roots-generic-statics", "statics of 400 generic instantiations made at run time are separate roots")]
internal static class GenericStatics
{
    private sealed class Cell<T> { public static readonly object Token = new(); public static object? Value; public static (T?, object?) Pair; }
    private abstract class Setter { public abstract void Set(int n); public abstract bool Holds(int n); }
    private sealed class Setter<T> : Setter
    {
        public override void Set(int n) { Cell<T>.Value = new int[] { n }; Cell<T>.Pair = (default, n.ToString()); }
        public override bool Holds(int n) => Cell<T>.Value is int[] a && a[0] == n && (string)Cell<T>.Pair.Item2! == n.ToString();
    }

    public static void Run(TextWriter output)
    {
        List<Setter> setters = [];
        Type[] arguments = [typeof(string), typeof(object), typeof(int[]), typeof(Version), typeof(int), typeof(long), typeof(Guid), typeof((int, string))];
        int count = Work.Scaled(400, 40);
        Type type = typeof(int);
        for (int i = 0; i < count; i++)
        {
            if (i % 20 == 0)
                type = arguments[i / 20 % arguments.Length];
            // List<>, Dictionary<,> and arrays nested to different depths give distinct instantiations.
            type = (i % 3) switch { 0 => typeof(List<>).MakeGenericType(type), 1 => type.MakeArrayType(), _ => typeof(KeyValuePair<,>).MakeGenericType(type, arguments[(i + i / 20) % arguments.Length]) };
            if (i % 20 > 6)
                type = typeof(Tuple<,,>).MakeGenericType(arguments[i % 4], arguments[i / 4 % 8], arguments[i / 20 % 8]);
            Setter setter = (Setter)Activator.CreateInstance(typeof(Setter<>).MakeGenericType(type))!;
            setters.RemoveAll(s => s.GetType() == setter.GetType());
            setter.Set(0);
            setters.Add(setter);
            if (i % 50 == 0)
                Heap.Turn();
        }
        for (int round = 1; round <= 6; round++)
        {
            for (int i = round % 2; i < setters.Count; i += 2)
                setters[i].Set(round * 1000 + i);
            Heap.Churn(128);
            Heap.Turn();
            for (int i = 0; i < setters.Count; i++)
            {
                int last = i % 2 == round % 2 ? round : round - 1;
                Expect.That(setters[i].Holds(last == 0 ? 0 : last * 1000 + i), $"statics of {setters[i].GetType()} in round {round}");
            }
        }
        output.WriteLine($"{setters.Count} instantiations");
    }
}
