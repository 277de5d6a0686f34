// String.Intern and IsInterned with made strings, over collections.
// Rule: equal strings intern to one object, which stays for ever; literals are interned.
// The table of interned strings is a native hash table of handles into the heap.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("lib-intern", "string.Intern gives one object per text for ever, also for strings made and dropped between collections")]
internal static class Interning
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Intern(int count, Dictionary<int, int> hashes)
    {
        for (int i = 0; i < count; i++)
            hashes[i] = RuntimeHelpers.GetHashCode(string.Intern($"interned {i}"));
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(3000, 300);
        Dictionary<int, int> hashes = [];
        Intern(count, hashes);
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                string made = string.Concat("interned ", i.ToString());
                string? interned = string.IsInterned(made);
                Expect.That(interned == made && !ReferenceEquals(interned, made) && ReferenceEquals(interned, string.Intern(made)), $"text {i}");
                Expect.Equal(hashes[i], RuntimeHelpers.GetHashCode(interned!));
            }
        }
        Expect.That(string.IsInterned(string.Concat("never ", "interned ", count.ToString())) == null, "an unknown text");
        Expect.Same("a literal of this method", string.Intern(string.Concat("a literal of ", "this method")));
        output.WriteLine($"{count} texts");
    }
}
