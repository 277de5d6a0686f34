// Objects made without `new`: Activator, uninitialised objects, Array.CreateInstance, generic and nested types.
// Rule: all ways of making an object end in the same allocator, with zeroed memory and finalizer registration.
// These paths enter the allocator from native code with objects protected only by the runtime's own frames.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-reflection", "Activator, GetUninitializedObject and Array.CreateInstance make zeroed objects that survive")]
internal static class CreatedByReflection
{
    private sealed class Plain { public long A; public object? R; public string Text = "made"; }
    private sealed class Generic<T> { public T? Value; public object? R; }

    public static void Run(TextWriter output)
    {
        List<object> all = [];
        Type[] arguments = [typeof(int), typeof(string), typeof(Guid), typeof((object, int)), typeof(decimal?)];
        int count = Work.Scaled(1500, 150);
        for (int i = 0; i < count; i++)
        {
            Plain plain = Activator.CreateInstance<Plain>();
            Expect.That(plain.A == 0 && plain.R == null && plain.Text == "made", "Activator runs the constructor");
            plain.A = i;
            all.Add(plain);
            Plain raw = (Plain)RuntimeHelpers.GetUninitializedObject(typeof(Plain));
            Expect.That(raw.A == 0 && raw.R == null && raw.Text == null, "an uninitialised object is zero");
            raw.R = plain;
            all.Add(raw);
            all.Add(Activator.CreateInstance(typeof(Generic<>).MakeGenericType(arguments[i % arguments.Length]))!);
            Array array = Array.CreateInstance(arguments[i % arguments.Length], i % 40);
            Expect.Equal(i % 40, array.Length);
            all.Add(array);
            if (i % 300 == 0)
                Heap.Turn();
        }
        Heap.Full();
        Heap.Churn(256);
        Heap.Turn();
        for (int i = 0; i < count; i++)
        {
            Expect.That(((Plain)all[i * 4]).A == i && ((Plain)all[i * 4 + 1]).R == all[i * 4], $"objects {i}");
            Expect.Equal(arguments[i % arguments.Length], all[i * 4 + 2].GetType().GetGenericArguments()[0]);
            Expect.Equal(i % 40, ((Array)all[i * 4 + 3]).Length);
        }
        output.WriteLine($"{all.Count} objects");
    }
}
