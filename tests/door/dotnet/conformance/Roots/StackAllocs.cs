// stackalloc beside references, spans over the stack and over the heap in one variable, and objects the JIT may place on the stack.
// Rule: byrefs into the stack are not heap pointers and are left alone; stack buffers are plain bytes.
// Addresses of the heap written into a stack buffer as numbers must not be changed.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-stackalloc", "stack buffers and spans that point now to stack, now to heap, are handled beside references")]
internal static class StackAllocs
{
    private sealed class Small(int a, object b) { public readonly int A = a; public readonly object B = b; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Mixed(int n)
    {
        Span<long> stack = stackalloc long[64];
        object kept = new int[] { n };
        Span<long> heap = new long[64];
        for (int i = 0; i < 64; i++)
        {
            // Numbers that are addresses of heap objects now; they are only numbers.
            stack[i] = heap[i] = (long)Heap.Address(kept) + i * 8;
        }
        long first = stack[0];
        Span<long> either = n % 2 == 0 ? stack : heap;
        Heap.Churn(32);
        Heap.Turn();
        for (int i = 0; i < 64; i++)
            if (stack[i] != first + i * 8 || heap[i] != stack[i] || either[i] != stack[i])
                Expect.That(false, $"number {i}");
        return ((int[])kept)[0] + either.Length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int MaybeOnStack(int n)
    {
        Small small = new(n, new int[] { n });
        object boxed = n;
        Heap.Turn();
        return small.A + ((int[])small.B)[0] + (int)boxed;
    }

    private static int Recursive(int depth)
    {
        Span<byte> buffer = stackalloc byte[100 + depth % 50];
        buffer.Fill((byte)depth);
        string text = depth.ToString();
        int below = depth == 0 ? 0 : Recursive(depth - 1);
        if (depth % 50 == 0)
            Heap.Turn();
        Expect.That(!buffer.ContainsAnyExcept((byte)depth) && text == depth.ToString(), $"frame {depth}");
        return below + 1;
    }

    public static void Run(TextWriter output)
    {
        long sum = 0;
        for (int n = 0; n < 60; n++)
            sum += Mixed(n) + MaybeOnStack(n);
        output.WriteLine(sum);
        output.WriteLine(Recursive(400));
    }
}
