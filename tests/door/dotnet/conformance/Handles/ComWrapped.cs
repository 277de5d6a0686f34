// COM callable wrappers made by ComWrappers (available on Linux): a managed object with a native reference count.
// Rule: the object lives while the native count is above zero, through a ref-counted handle; at zero it is as weak.
// The collector must ask the runtime for each such handle during the root phase, and treat it as weak if told so.

using System.Collections;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-comwrappers", "a ComWrappers object lives while its native reference count is positive and dies afterwards (ref-counted handles)")]
internal static unsafe class ComWrapped
{
    private sealed class Wrappers : ComWrappers
    {
        protected override ComInterfaceEntry* ComputeVtables(object obj, CreateComInterfaceFlags flags, out int count)
        {
            count = 1;
            return s_entries;
        }

        protected override object? CreateObject(nint externalComObject, CreateObjectFlags flags) => new Proxy(externalComObject);

        protected override void ReleaseObjects(IEnumerable objects) { }
    }

    private sealed class Proxy(nint native) { public readonly nint Native = native; }

    private sealed class Server(int number) { public readonly int Number = number; }

    private static readonly ComWrappers.ComInterfaceEntry* s_entries = MakeEntries();
    private static readonly Guid s_interface = new("8a4b7a3e-6f2f-4a5c-9a55-6b9a5f3b1d10");

    [UnmanagedCallersOnly]
    private static int GetNumber(nint self) => ComWrappers.ComInterfaceDispatch.GetInstance<Server>((ComWrappers.ComInterfaceDispatch*)self).Number;

    private static ComWrappers.ComInterfaceEntry* MakeEntries()
    {
        ComWrappers.GetIUnknownImpl(out nint queryInterface, out nint addRef, out nint release);
        nint* vtable = (nint*)RuntimeHelpers.AllocateTypeAssociatedMemory(typeof(ComWrapped), 4 * sizeof(nint));
        vtable[0] = queryInterface;
        vtable[1] = addRef;
        vtable[2] = release;
        vtable[3] = (nint)(delegate* unmanaged<nint, int>)&GetNumber;
        ComWrappers.ComInterfaceEntry* entries = (ComWrappers.ComInterfaceEntry*)RuntimeHelpers.AllocateTypeAssociatedMemory(typeof(ComWrapped), sizeof(ComWrappers.ComInterfaceEntry));
        entries->IID = new Guid("8a4b7a3e-6f2f-4a5c-9a55-6b9a5f3b1d10");
        entries->Vtable = (nint)vtable;
        return entries;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Make(Wrappers wrappers, nint[] native, WeakReference[] weak)
    {
        for (int i = 0; i < native.Length; i++)
        {
            Server server = new(i);
            native[i] = wrappers.GetOrCreateComInterfaceForObject(server, CreateComInterfaceFlags.None);
            weak[i] = new WeakReference(server);
        }
    }

    private static int Number(nint unknown)
    {
        Guid iid = s_interface;
        Expect.Equal(0, Marshal.QueryInterface(unknown, in iid, out nint typed));
        int number = ((delegate* unmanaged<nint, int>)(*(*(nint**)typed + 3)))(typed);
        Marshal.Release(typed);
        return number;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Alive(WeakReference[] weak, int parity)
    {
        int alive = 0;
        for (int i = parity; i < weak.Length; i += 2)
            alive += weak[i].IsAlive ? 1 : 0;
        return alive;
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(200, 20);
        Wrappers wrappers = new();
        nint[] native = new nint[count];
        WeakReference[] weak = new WeakReference[count];
        Make(wrappers, native, weak);
        for (int round = 0; round < 6; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < count; i++)
                Expect.Equal(i, Number(native[i]), $"number through native interface {i}");
        }
        Expect.Equal(count, Alive(weak, 0) + Alive(weak, 1), "objects with a native reference");
        for (int i = 0; i < count; i += 2)
            Expect.Equal(0, Marshal.Release(native[i]), "count after the last Release");
        Expect.That(Heap.Until(() => Alive(weak, 0) == 0), "released objects die");
        Expect.Equal(count / 2, Alive(weak, 1), "objects still referenced natively");
        for (int i = 1; i < count; i += 2)
        {
            Expect.Equal(2, Marshal.AddRef(native[i]));
            Expect.Equal(1, Marshal.Release(native[i]));
            Expect.Equal(i, Number(native[i]));
            Marshal.Release(native[i]);
        }
        Expect.That(Heap.Until(() => Alive(weak, 1) == 0), "then those die too");

        // The way back: one proxy object per native object, found again by identity while it lives.
        Server own = new(77);
        nint unknown = wrappers.GetOrCreateComInterfaceForObject(own, CreateComInterfaceFlags.None);
        object proxy = wrappers.GetOrCreateObjectForComInstance(unknown, CreateObjectFlags.None);
        for (int round = 0; round < 5; round++)
        {
            Heap.Turn();
            Expect.Same(proxy, wrappers.GetOrCreateObjectForComInstance(unknown, CreateObjectFlags.None));
            Expect.That(ComWrappers.TryGetObject(unknown, out object? managed) && managed == own, "TryGetObject gives the managed object");
        }
        GC.KeepAlive(proxy);
        Marshal.Release(unknown);
        output.WriteLine($"{count} wrapped objects");
    }
}
