// String literals, type objects and other objects that the runtime makes outside the collector's heap: identity, hash, lock, fields
// that refer to them.
// Rule: frozen objects are always alive and never move; references to them are ignored, not followed.
// An address test that takes a frozen object for one of the collector's own corrupts memory.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-frozen-objects", "literals, typeof, interned strings and boxed constants stay identical and usable as keys and locks")]
internal static class FrozenObjects
{
    private static readonly string s_literal = "a frozen literal";
    private static readonly object s_typeObject = typeof(FrozenObjects);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Literal() => "a frozen literal";

    public static void Run(TextWriter output)
    {
        string made = string.Concat("a frozen", " literal");
        Dictionary<object, string> table = new(ReferenceEqualityComparer.Instance)
        {
            [Literal()] = "literal",
            [typeof(int)] = "int",
            [typeof(List<string>)] = "list",
            [made] = "made",
        };
        int hash = RuntimeHelpers.GetHashCode(Literal());
        object?[] mixed = [Literal(), made, typeof(string), new object(), 5, Array.Empty<Guid>(), DBNull.Value];
        for (int round = 0; round < 12; round++)
        {
            lock (Literal())
            lock (typeof(FrozenObjects))
            {
                Heap.Churn(64);
                Heap.Turn();
                Expect.That(Monitor.IsEntered(s_literal) && Monitor.IsEntered(s_typeObject), "locks on frozen objects");
            }
            Expect.Same(s_literal, Literal());
            Expect.Same(s_typeObject, typeof(FrozenObjects));
            Expect.Same(Literal(), string.Intern(made));
            Expect.That(!ReferenceEquals(made, Literal()) && made == Literal(), "a made string is equal, not the same");
            Expect.Equal(hash, RuntimeHelpers.GetHashCode(Literal()));
            Expect.That(table[Literal()] == "literal" && table[typeof(int)] == "int" && table[typeof(List<string>)] == "list" && table[made] == "made", "keys by identity");
            Expect.That(mixed[0] == (object)Literal() && mixed[2] == (object)typeof(string) && mixed[6] == DBNull.Value, "references from an array");
            mixed[4] = round;
            WeakReference weak = new(Literal());
            Heap.Young();
            Expect.Same(s_literal, weak.Target);
        }
        output.WriteLine($"{typeof(FrozenObjects).Name} {Literal()}");
    }
}
