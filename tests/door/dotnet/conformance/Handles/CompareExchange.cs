// The atomic exchange of a handle's target (GCHandle.InternalCompareExchange, which the libraries reach through reflection only).
// Rule: the target is replaced exactly if it is the expected object; the old one is returned; objects are compared by identity.
// The only compare-and-swap that the collector's handle manager does for the program, against its own updates of the slot.

using System.Reflection;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-compare-exchange", "the atomic exchange of a handle's target from several threads replaces exactly the expected object, over moves")]
internal static class CompareExchange
{
    private sealed class Node(int thread, int number, Node? next) { public readonly int Thread = thread, Number = number; public readonly Node? Next = next; }

    public static void Run(TextWriter output)
    {
        MethodInfo method = typeof(GCHandle).GetMethod("InternalCompareExchange", BindingFlags.Static | BindingFlags.NonPublic)
            ?? throw new NotSupportedException("this runtime has no GCHandle.InternalCompareExchange");
        Func<nint, object?, object?, object?> exchange = method.CreateDelegate<Func<nint, object?, object?, object?>>();
        const int Threads = 4;
        int each = Work.Scaled(3000, 100);
        GCHandle handle = GCHandle.Alloc(null);
        nint slot = GCHandle.ToIntPtr(handle);
        Expect.That(exchange(slot, new Node(-1, 0, null), new object()) == null && handle.Target == null, "not replaced when another object was expected");
        // A stack of nodes in one handle: a push that is lost or done twice shows in the count.
        Crew.Run(Threads + 1, number =>
        {
            if (number == Threads)
            {
                for (int i = 0; i < 40; i++)
                    Heap.Turn();
                return;
            }
            for (int i = 0; i < each; i++)
                while (true)
                {
                    Node? old = (Node?)handle.Target;
                    if (exchange(slot, new Node(number, i, old), old) == old)
                        break;
                }
        });
        Heap.Full();
        HashSet<(int, int)> seen = [];
        for (Node? node = (Node?)handle.Target; node != null; node = node.Next)
            Expect.That(seen.Add((node.Thread, node.Number)), "each node once");
        Expect.Equal(Threads * each, seen.Count);
        handle.Free();
        output.WriteLine($"{seen.Count} pushes");
    }
}
