// A frozen segment registered by the program: objects laid out by hand in native memory, referring to each other.
// Rule: such objects are alive for ever, never move, answer int.MaxValue as generation, and may be referred to from anywhere.
// They lie outside the collector's own memory; their headers and fields must not be written, nor marked, nor followed into the heap.

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("alloc-frozen-segment", "objects of a registered frozen segment are usable, never move and are left alone by collections")]
internal static unsafe class FrozenSegment
{
    private sealed class Node { public Node? Next; public long Number; }

    public static void Run(TextWriter output)
    {
        MethodInfo register = typeof(GC).GetMethod("_RegisterFrozenSegment", BindingFlags.Static | BindingFlags.NonPublic)
            ?? throw new NotSupportedException("this runtime has no GC._RegisterFrozenSegment");
        const int Count = 200, Size = 32;
        nint length = 8 + Count * Size + 64;
        byte* memory = (byte*)NativeMemory.AlignedAlloc((nuint)length, 4096);
        NativeMemory.Clear(memory, (nuint)length);
        // Each object: header word, type, Next, Number. References come first in the layout of a class.
        for (int i = 0; i < Count; i++)
        {
            byte* at = memory + 8 + i * Size;
            *(nint*)at = typeof(Node).TypeHandle.Value;
            *(nint*)(at + 8) = i + 1 < Count ? (nint)(at + Size) : 0;
            *(long*)(at + 16) = i;
        }
        object segment = register.Invoke(null, [(nint)memory, (nint)(8 + Count * Size)])!;
        Node[] nodes = new Node[Count];
        for (int i = 0; i < Count; i++)
        {
            nint address = (nint)(memory + 8 + i * Size);
            nodes[i] = Unsafe.As<nint, Node>(ref address);
        }
        Dictionary<object, int> numbers = new(ReferenceEqualityComparer.Instance);
        WeakReference weak = new(nodes[5]);
        GCHandle handle = GCHandle.Alloc(nodes[6]);
        for (int i = 0; i < Count; i += 2)
            numbers.Add(nodes[i], i);
        for (int round = 0; round < 10; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            Node? node = nodes[0];
            for (int i = 0; i < Count; i++, node = node!.Next)
            {
                Expect.That(node == nodes[i] && node!.Number == i, $"node {i}");
                Expect.Equal((nuint)(memory + 8 + i * Size), Heap.Address(node!), "its address");
                if (i % 2 == 0)
                    Expect.That(numbers.TryGetValue(node!, out int number) && number == i, "its hash");
            }
            Expect.That(weak.Target == nodes[5] && handle.Target == nodes[6], "handles to frozen objects");
            lock (nodes[7])
                Heap.Young();
        }
        Expect.Equal(int.MaxValue, GC.GetGeneration(nodes[0]));
        handle.Free();
        // The segment and its memory stay for the rest of the process: unregistering while a reference is left would be wrong.
        GC.KeepAlive(segment);
        output.WriteLine($"{Count} frozen objects");
    }
}
