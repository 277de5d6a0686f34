// A dump that createdump wrote, read with ClrMD, which reads the runtime's memory as SOS and dotnet-dump do.
using System.Runtime.CompilerServices;
using Microsoft.Diagnostics.Runtime;

namespace Garner.Tools;

internal static class Dump
{
    private sealed class Precious
    {
        public int Number = 42;
        public string Text = "precious";
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Crash()
    {
        Precious precious = new();
        GC.Collect();
        ThrowsOnPurpose(precious);
        return precious.Number;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowsOnPurpose(Precious precious) => throw new InvalidOperationException($"on purpose: {precious.Text}");

    public static void Read(string file, bool heapIsThere)
    {
        using DataTarget target = DataTarget.LoadDump(file);
        using ClrRuntime runtime = target.ClrVersions.Single().CreateRuntime();
        ClrThread thread = runtime.Threads.Single(static t => t.CurrentException != null);
        Check.Equal("System.InvalidOperationException", thread.CurrentException!.Type.Name, "the exception's type");
        Check.Equal("on purpose: precious", thread.CurrentException.Message, "the exception's message");
        string[] frames = [.. thread.EnumerateStackTrace().Select(static f => f.Method?.Name ?? "").Where(static n => n is "ThrowsOnPurpose" or "Crash" or "Main")];
        Check.Equal("ThrowsOnPurpose Crash Main", string.Join(' ', frames), "the stack");
        ClrObject exception = runtime.Heap.GetObject(thread.CurrentException.Address);
        Check.Equal("on purpose: precious", exception.ReadStringField("_message"), "a field of an object whose address is known");
        Check.That(runtime.EnumerateModules().Any(static m => m.Name?.EndsWith("Tools.dll", StringComparison.Ordinal) == true), "modules");
        Console.WriteLine("threads, stacks, exceptions, modules, objects by address");
        // What needs the collector's own structures finds none, and a reader lives through it.
        Check.Equal(heapIsThere, runtime.Heap.CanWalkHeap, "the heap says it can be walked");
        Check.Equal(heapIsThere, runtime.Heap.Segments.Length != 0, "segments");
        Check.Equal(heapIsThere, runtime.Heap.EnumerateObjects().Any(static o => o.Type?.Name == "Garner.Tools.Dump+Precious"), "an object found by a walk");
        Check.Equal(heapIsThere, runtime.EnumerateHandles().Any(), "handles");
        Check.Equal(heapIsThere, runtime.Heap.EnumerateFinalizableObjects().Any(), "objects with finalizers");
    }
}
