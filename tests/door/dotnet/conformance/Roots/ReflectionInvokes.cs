// Reflection: invoking methods and constructors with boxed, ref and out arguments, getting and setting fields and properties.
// Rule: arguments are copied to native frames that the runtime protects and reports.
// Boxes made for by-ref arguments are written back after a call that may have moved them.

using System.Reflection;

namespace Garner.Conformance;

[Behaviour("roots-reflection", "reflection calls with ref, out and struct arguments, fields and properties survive collections")]
internal static class ReflectionInvokes
{
    private struct Pair { public string Text; public int Number; }

    private sealed class Subject
    {
        public Pair Field;
        public string? Property { get; set; }

        public string Call(string a, int b, ref Pair pair, out object made, params object[] rest)
        {
            Heap.Turn();
            pair = new Pair { Text = a + pair.Text, Number = b + pair.Number };
            made = new int[] { b };
            Heap.Turn();
            return $"{a}{b}{rest.Length}{rest[0]}";
        }
    }

    public static void Run(TextWriter output)
    {
        MethodInfo call = typeof(Subject).GetMethod(nameof(Subject.Call))!;
        FieldInfo field = typeof(Subject).GetField(nameof(Subject.Field))!;
        PropertyInfo property = typeof(Subject).GetProperty(nameof(Subject.Property))!;
        ConstructorInfo constructor = typeof(Subject).GetConstructor(Type.EmptyTypes)!;
        string last = "";
        for (int n = 0; n < 60; n++)
        {
            object subject = constructor.Invoke(null);
            object?[] arguments = [n.ToString(), n, new Pair { Text = "p", Number = 1 }, null, new object[] { n + 1, "x" }];
            last = (string)call.Invoke(subject, arguments)!;
            Expect.Equal($"{n}{n}2{n + 1}", last);
            Pair pair = (Pair)arguments[2]!;
            Expect.That(pair.Text == $"{n}p" && pair.Number == n + 1, "a ref argument is written back");
            Expect.That(((int[])arguments[3]!)[0] == n, "an out argument is written back");
            field.SetValue(subject, pair);
            property.SetValue(subject, n.ToString());
            Heap.Young();
            Expect.That(((Pair)field.GetValue(subject)!).Text == $"{n}p" && (string)property.GetValue(subject)! == n.ToString(), "field and property");
            Expect.Throws<TargetParameterCountException>(() => call.Invoke(subject, []), "too few arguments");
        }
        output.WriteLine(last);
    }
}
