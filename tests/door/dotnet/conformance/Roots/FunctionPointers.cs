// Managed function pointers and methods called through them, with generics and virtual stubs, and Type/method handles as numbers.
// Rule: a function pointer is no reference; the arguments passed through calli are reported by the callee's own signature.
// The call site has no method: argument registers are described by the stand-alone signature alone.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-function-pointers", "references passed and returned through managed function pointers survive collections")]
internal static unsafe class FunctionPointers
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Join(string a, object b, int c, int[] d)
    {
        Heap.Turn();
        return $"{a}{b}{c}{d[0]}";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ref int Pick(int[] array, int at)
    {
        Heap.Young();
        return ref array[at];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static T[] Wrap<T>(T value)
    {
        Heap.Young();
        return [value];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Chain(delegate*<object, object> next, object value)
    {
        object inner = next(value);
        Heap.Turn();
        return new object[] { inner, value };
    }

    private static object Box(object value)
    {
        Heap.Young();
        return new object[] { value };
    }

    public static void Run(TextWriter output)
    {
        delegate*<string, object, int, int[], string> join = &Join;
        delegate*<int[], int, ref int> pick = &Pick;
        delegate*<string, string[]> wrapText = &Wrap<string>;
        delegate*<(object, int), (object, int)[]> wrapPair = &Wrap<(object, int)>;
        delegate*<delegate*<object, object>, object, object> chain = &Chain;
        string last = "";
        for (int n = 0; n < 40; n++)
        {
            last = join(n.ToString(), new string('-', 2), n, [n * 2]);
            Expect.Equal($"{n}--{n}{n * 2}", last);
            ref int element = ref pick([n, n + 1, n + 2], 1);
            Heap.Turn();
            Expect.Equal(n + 1, element);
            Expect.Equal(n.ToString(), wrapText(n.ToString())[0]);
            Expect.Equal(n, wrapPair((new object(), n))[0].Item2);
            object[] chained = (object[])chain(&Box, n.ToString());
            Expect.Same(chained[1], ((object[])chained[0])[0]);
        }
        output.WriteLine(last);
    }
}
