// Large structs with many references as locals, parameters and return values, and inline arrays of references on the stack.
// Rule: every reference slot inside a struct on the stack is a root of its own, live or not as the method says.
// Two-register returns and hidden return buffers are where a reference lives in a place only the runtime knows.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-struct-locals", "structs full of references as locals, arguments, register and buffer returns, and inline arrays")]
internal static class StructLocals
{
    [InlineArray(24)] private struct Objects { private object? _element; }
    private struct Two { public object A; public object B; }
    private struct RefAndInt { public string A; public int B; }
    private struct Five { public object A, B; public long C; public object D, E; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Two MakeTwo(int n) { Two two = new() { A = new int[] { n }, B = n.ToString() }; Heap.Turn(); return two; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static RefAndInt MakeRefAndInt(int n) { RefAndInt made = new() { A = n.ToString(), B = n }; Heap.Young(); return made; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Five MakeFive(int n) { Five five = new() { A = new int[] { n }, B = n.ToString(), C = n, D = new object(), E = new int[] { -n } }; Heap.Young(); return five; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Take(Two two, RefAndInt refAndInt, Five five, int n)
    {
        Heap.Turn();
        bool right = ((int[])two.A)[0] == n && (string)two.B == n.ToString() && refAndInt.A == n.ToString() && refAndInt.B == n
            && ((int[])five.A)[0] == n && (string)five.B == n.ToString() && five.C == n && five.D != null && ((int[])five.E)[0] == -n;
        Expect.That(right, $"structs {n} as arguments");
        return n;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Inline(int n)
    {
        Objects objects = default;
        for (int i = 0; i < 24; i++)
        {
            objects[i] = new int[] { n + i };
            if (i % 8 == 0)
                Heap.Young();
        }
        objects[n % 24] = null;
        Heap.Turn();
        int sum = 0;
        foreach (object? o in objects)
            sum += o == null ? 0 : ((int[])o)[0];
        return sum;
    }

    public static void Run(TextWriter output)
    {
        long sum = 0;
        for (int n = 0; n < 50; n++)
        {
            sum += Take(MakeTwo(n), MakeRefAndInt(n), MakeFive(n), n);
            sum += Inline(n);
            (object a, object b) = (MakeTwo(n).A, MakeFive(n).E);
            Heap.Young();
            Expect.Equal(0, ((int[])a)[0] + ((int[])b)[0], "parts of returned structs");
        }
        output.WriteLine(sum);
    }
}
