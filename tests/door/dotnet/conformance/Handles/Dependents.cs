// DependentHandle: the value lives as long as the key, and no longer; setting target and dependent; disposal.
// Rule: the secondary is kept alive by the primary, as if the primary had a field for it.
// The value may be younger or older than the key; a young collection must keep a young value of an old key.

using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-dependent", "DependentHandle keeps its dependent exactly as long as its target, for young and old of both")]
internal static class Dependents
{
    private sealed class Item(int number) { public readonly int Number = number; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(DependentHandle[] handles, WeakReference[] values, object?[] keys)
    {
        for (int i = 0; i < handles.Length; i++)
        {
            keys[i] ??= new Item(i);
            Item value = new(-i);
            handles[i] = new DependentHandle(keys[i], value);
            values[i] = new WeakReference(value);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CountWrong(DependentHandle[] handles, WeakReference[] values, object?[] keys)
    {
        int wrong = 0;
        for (int i = 0; i < handles.Length; i++)
        {
            (object? target, object? dependent) = handles[i].TargetAndDependent;
            bool right = keys[i] != null
                ? target == keys[i] && dependent is Item { Number: var n } && n == -i && values[i].Target == dependent
                : target == null && dependent == null && !values[i].IsAlive;
            wrong += right ? 0 : 1;
        }
        return wrong;
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(500, 50);
        DependentHandle[] handles = new DependentHandle[count];
        WeakReference[] values = new WeakReference[count];
        object?[] keys = new object?[count];
        // A third of the keys is old when the value is made.
        Heap.Apart(() =>
        {
            for (int i = 0; i < count; i += 3)
                keys[i] = new Item(i);
            Heap.Age(keys[0]!);
        });
        Make(handles, values, keys);
        for (int round = 0; round < 8; round++)
        {
            if (round % 2 == 0)
                Heap.Young();
            else
                Heap.Turn();
            Heap.Churn(32);
            Expect.Equal(0, CountWrong(handles, values, keys), $"wrong handles in round {round}");
        }
        // New young dependents for old keys.
        Renew(handles, values);
        for (int round = 0; round < 4; round++)
        {
            Heap.Young();
            Expect.Equal(0, CountWrong(handles, values, keys), "wrong handles after new dependents");
        }
        for (int i = 0; i < count; i += 2)
            keys[i] = null;
        Expect.That(Heap.Until(() => CountWrong(handles, values, keys) == 0), "dependents of dead targets die");
        Expect.Throws<InvalidOperationException>(static () => _ = new DependentHandle().Target, "Target of a default handle");
        Dispose(handles);
        Array.Clear(keys);
        Expect.That(Heap.Until(() => Array.TrueForAll(values, static v => !v.IsAlive)), "nothing is kept after disposal");
        output.WriteLine($"{count} dependent handles");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Renew(DependentHandle[] handles, WeakReference[] values)
    {
        for (int i = 0; i < handles.Length; i++)
        {
            Item fresh = new(-i);
            handles[i].Dependent = fresh;
            values[i] = new WeakReference(fresh);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Dispose(DependentHandle[] handles)
    {
        foreach (ref DependentHandle handle in handles.AsSpan())
        {
            if (handle.Target != null)
                handle.Target = null;
            Expect.That(handle.Target == null, "target reset");
            handle.Dispose();
            Expect.That(!handle.IsAllocated, "disposed");
        }
    }
}
