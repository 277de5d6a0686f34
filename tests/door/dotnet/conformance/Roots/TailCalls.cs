// Explicit tail calls to methods with more stack arguments than their caller, with fresh references among the arguments.
// Rule: such calls go through a per-thread argument buffer, whose references are roots until the callee has taken them.
// Between leaving the caller and entering the callee the buffer is the only place that holds the arguments.

using System.Reflection;
using System.Reflection.Emit;

namespace Garner.Conformance;

[Behaviour("roots-tail-calls", "arguments of explicit tail calls (fast, and through the argument buffer) survive collections")]
public static class TailCalls
{
    public struct Wide { public object A; public long B; public string C; public object D; }

    // Called by the emitted code with references made just before the tail call.
    public static long Last(object a, string b, object c, string d, object e, string f, object g, string h, Wide w, int depth)
    {
        Heap.Turn();
        long sum = ((int[])a)[0] + b.Length + ((int[])c)[0] + d.Length + ((int[])e)[0] + f.Length + ((int[])g)[0] + h.Length + ((int[])w.A)[0] + w.B + w.C.Length + ((int[])w.D)[0];
        return sum * 100 + depth;
    }

    public static int[] Cell(int n)
    {
        if (n % 7 == 0)
            Heap.Young();
        return [n];
    }

    public static string Text(int n) => new('t', n % 50);

    public static Wide MakeWide(int n) => new() { A = Cell(n), B = n, C = Text(n), D = Cell(n + 1) };

    public static void Run(TextWriter output)
    {
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("TailCalls"), AssemblyBuilderAccess.Run);
        TypeBuilder type = assembly.DefineDynamicModule("m").DefineType("T", TypeAttributes.Public);

        // Loop(n, depth): depth == 0 ? tail Last(…fresh objects…) : tail Loop(n, depth - 1) through a method with many arguments.
        MethodBuilder loop = type.DefineMethod("Loop", MethodAttributes.Public | MethodAttributes.Static, typeof(long), [typeof(int), typeof(int)]);
        Type[] manyTypes = [typeof(object), typeof(string), typeof(object), typeof(string), typeof(object), typeof(string), typeof(object), typeof(string), typeof(Wide), typeof(int), typeof(int)];
        MethodBuilder many = type.DefineMethod("Many", MethodAttributes.Public | MethodAttributes.Static, typeof(long), manyTypes);
        MethodInfo cell = typeof(TailCalls).GetMethod(nameof(Cell))!, text = typeof(TailCalls).GetMethod(nameof(Text))!;
        MethodInfo wide = typeof(TailCalls).GetMethod(nameof(MakeWide))!, last = typeof(TailCalls).GetMethod(nameof(Last))!;

        ILGenerator il = loop.GetILGenerator();
        for (int i = 0; i < 8; i++)
        {
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Call, i % 2 == 0 ? cell : text);
        }
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, wide);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Tailcall);
        il.Emit(OpCodes.Call, many);
        il.Emit(OpCodes.Ret);

        // Many(…, n, depth): depth == 0 ? tail Last(…) : tail Loop(n, depth - 1).
        il = many.GetILGenerator();
        Label deeper = il.DefineLabel();
        il.Emit(OpCodes.Ldarg_S, (byte)10);
        il.Emit(OpCodes.Brtrue, deeper);
        for (byte i = 0; i < 9; i++)
            il.Emit(OpCodes.Ldarg_S, i);
        il.Emit(OpCodes.Ldarg_S, (byte)9);
        il.Emit(OpCodes.Tailcall);
        il.Emit(OpCodes.Call, last);
        il.Emit(OpCodes.Ret);
        il.MarkLabel(deeper);
        il.Emit(OpCodes.Ldarg_S, (byte)9);
        il.Emit(OpCodes.Ldarg_S, (byte)10);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Sub);
        il.Emit(OpCodes.Tailcall);
        il.Emit(OpCodes.Call, loop);
        il.Emit(OpCodes.Ret);

        Func<int, int, long> run = type.CreateType().GetMethod("Loop")!.CreateDelegate<Func<int, int, long>>();
        long sum = 0;
        for (int n = 0; n < 60; n++)
        {
            long expected = (4 * n + 4 * (n % 50) + n + n + n % 50 + n + 1) * 100L + n;
            long actual = run(n, n % 10);
            Expect.Equal(expected, actual, $"tail call {n}");
            sum += actual;
        }
        // Without tail calls this depth would overflow a small stack.
        Crew.Run(1, _ => Expect.Equal((4 * 3 + 4 * 3 + 3 + 3 + 3 + 4) * 100L + 3, run(3, Work.Scaled(20_000, 500)), "deep tail calls"), 512 * 1024);
        output.WriteLine(sum);
    }
}
