// DynamicMethods: made, called with references while collecting, dropped, and collected together with their code.
// Rule: a dynamic method lives as long as its delegate or a frame that executes it; its resolver is kept by that frame.
// The resolver is reported from a native local of the stack walk: a slot that is gone after the call.

using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-dynamic-methods", "dynamic methods run over collections, stay alive while executing, and are collected when dropped")]
internal static class DynamicMethods
{
    public static object Collecting(object value)
    {
        Heap.Turn();
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Func<string, int, string> Make(int n)
    {
        DynamicMethod method = new($"dynamic{n}", typeof(string), [typeof(string), typeof(int)], typeof(DynamicMethods).Module);
        ILGenerator il = method.GetILGenerator();
        LocalBuilder local = il.DeclareLocal(typeof(string));
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldstr, $" literal {n} ");
        il.Emit(OpCodes.Call, typeof(string).GetMethod(nameof(string.Concat), [typeof(string), typeof(string)])!);
        il.Emit(OpCodes.Stloc, local);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Box, typeof(int));
        il.Emit(OpCodes.Call, typeof(DynamicMethods).GetMethod(nameof(Collecting))!);
        il.Emit(OpCodes.Ldloc, local);
        il.Emit(OpCodes.Call, typeof(string).GetMethod(nameof(string.Concat), [typeof(object), typeof(object)])!);
        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<Func<string, int, string>>();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Once(int n)
    {
        Func<string, int, string> made = Make(n);
        WeakReference weak = new(made);
        Expect.Equal($"{n}{n + 1} literal {n} ", made((n + 1).ToString(), n));
        return weak;
    }

    // The delegate is dropped by everybody while its method runs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string RunsAlone(int n) => Make(n)("alone", n);

    public static void Run(TextWriter output)
    {
        List<WeakReference> dead = [];
        int count = Work.Scaled(150, 20);
        for (int n = 0; n < count; n++)
            dead.Add(Once(n));
        for (int n = 0; n < 20; n++)
            Expect.Equal($"{n}alone literal {n} ", RunsAlone(n));
        Expect.That(Heap.Until(() => dead.TrueForAll(static w => !w.IsAlive)), "dropped dynamic methods are collected");
        Func<string, int, string>[] kept = [.. Enumerable.Range(0, 50).Select(Make)];
        Heap.Full();
        for (int n = 0; n < kept.Length; n++)
            Expect.Equal($"{n}k literal {n} ", kept[n]("k", n));
        output.WriteLine(kept[49]("last", 49));
    }
}
