// Shared generic code: virtual generic methods, default interface methods, static abstract members, with reference and struct
// arguments, over collections in every frame.
// Rule: a shared generic method may need `this` or a type parameter for its own type context, and keeps it alive for that.
// The context is a root that the source code does not show.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-generic-code", "shared generics, generic virtual methods and interface statics keep their context and arguments")]
internal static class GenericCode
{
    private interface IShape<TSelf> where TSelf : IShape<TSelf>
    {
        static abstract TSelf Make(int n);
        int Number { get; }
        string Describe() { Heap.Young(); return $"{typeof(TSelf).Name} {Number}"; }
    }

    private sealed class Round(int n) : IShape<Round> { public static Round Make(int n) => new(n); public int Number => n; }
    private readonly struct Flat(string n) : IShape<Flat> { public static Flat Make(int n) => new(n.ToString()); public int Number => int.Parse(n); }

    private abstract class Base
    {
        public abstract string Visit<T>(T value, int depth);
    }

    private sealed class Visitor<TOwn> : Base
    {
        private readonly TOwn[] _own = new TOwn[1];

        [MethodImpl(MethodImplOptions.NoInlining)]
        public override string Visit<T>(T value, int depth)
        {
            List<T> list = [value];
            if (depth == 0)
            {
                Heap.Turn();
                return $"{typeof(TOwn).Name},{typeof(T).Name},{list[0]},{_own.Length}";
            }
            // The instantiation changes at each level; `this` is needed for the types only.
            return depth % 2 == 0 ? Visit((value, depth).Item1, depth - 1) : new Visitor<T>().Visit(list.Count.ToString(), depth - 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Shapes<T>(int count) where T : IShape<T>
    {
        T[] shapes = new T[count];
        for (int i = 0; i < count; i++)
            shapes[i] = T.Make(i);
        Heap.Turn();
        return string.Join(' ', shapes.Select(static s => s.Describe()).TakeLast(2)) + $" {shapes.Sum(static s => s.Number)}";
    }

    public static void Run(TextWriter output)
    {
        output.WriteLine(Shapes<Round>(50));
        output.WriteLine(Shapes<Flat>(50));
        string last = "";
        for (int depth = 0; depth < 8; depth++)
        {
            last = new Visitor<object>().Visit(new Version(1, depth), depth);
            output.WriteLine(last);
            output.WriteLine(new Visitor<int>().Visit((depth, "pair"), depth));
        }
    }
}
