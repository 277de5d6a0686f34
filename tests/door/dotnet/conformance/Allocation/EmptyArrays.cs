// Arrays without elements, of values, references and large structs, of one and of more dimensions.
// Rule: the minimum object is 24 bytes, also when there is no data at all; Array.Empty<T>() is one object for ever.
// A collector that walks from object to object stumbles over the smallest ones first.

namespace Garner.Conformance;

[Behaviour("alloc-empty-arrays", "arrays of length 0 of every kind, and the identity of Array.Empty<T>()")]
internal static class EmptyArrays
{
    private struct Large { public Guid A, B, C, D; public object? Ref; }

    public static void Run(TextWriter output)
    {
        object[] singletons = [Array.Empty<int>(), Array.Empty<string>(), Array.Empty<Large>(), string.Empty, Type.EmptyTypes];
        List<Array> all = [];
        int count = Work.Scaled(6000, 600);
        for (int i = 0; i < count; i++)
        {
            all.Add((i % 6) switch
            {
                0 => new byte[0],
                1 => new object[0],
                2 => new Large[0],
                3 => new string[0, 4],
                4 => new int[3, 0, 2],
                _ => new decimal[0],
            });
            if (i % 1000 == 0)
                Heap.Turn();
        }
        HashSet<object> distinct = new(ReferenceEqualityComparer.Instance);
        for (int round = 0; round < 5; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            distinct.Clear();
            foreach (Array array in all)
            {
                Expect.That(array.Length == 0, "length 0");
                distinct.Add(array);
            }
            Expect.Equal(count, distinct.Count, "distinct empty arrays");
            Expect.Same(singletons[0], Array.Empty<int>());
            Expect.Same(singletons[1], Array.Empty<string>());
            Expect.Same(singletons[2], Array.Empty<Large>());
            Expect.Same(singletons[3], string.Empty);
        }
        output.WriteLine("all empty, all distinct");
    }
}
