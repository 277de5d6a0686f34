// Memory<T>, MemoryPool, owners, pinned MemoryHandles, sequences of segments and custom memory managers.
// Rule: a Memory keeps its array, string or manager; a pinned MemoryHandle keeps the address.
// Memory is a reference with an index in which one bit says "pinned in advance".

using System.Buffers;
using System.Text;

namespace Garner.Conformance;

[Behaviour("lib-memory", "Memory<T>, MemoryPool, MemoryHandle, MemoryManager and ReadOnlySequence over moving and pinned buffers")]
internal static class MemoryPools
{
    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, Segment? before)
        {
            Memory = memory;
            if (before != null)
            {
                RunningIndex = before.RunningIndex + before.Memory.Length;
                before.Next = this;
            }
        }
    }

    private sealed class Manager(int[] array) : MemoryManager<int>
    {
        public override Span<int> GetSpan() => array;
        public override MemoryHandle Pin(int elementIndex = 0) => array.AsMemory(elementIndex).Pin();
        public override void Unpin() { }
        protected override void Dispose(bool disposing) { }
    }

    public static unsafe void Run(TextWriter output)
    {
        Segment? first = null, last = null;
        int length = 0;
        for (int i = 0; i < 400; i++)
        {
            byte[] bytes = Encoding.UTF8.GetBytes($"segment {i};");
            byte[] padded = new byte[bytes.Length + 20];
            bytes.CopyTo(padded, 10);
            last = new Segment(padded.AsMemory(10, bytes.Length), last);
            first ??= last;
            length += bytes.Length;
            if (i % 50 == 0)
                Heap.Turn();
        }
        ReadOnlySequence<byte> sequence = new(first!, 0, last!, last!.Memory.Length);
        Heap.Full();
        Expect.Equal(length, (int)sequence.Length);
        SequenceReader<byte> reader = new(sequence);
        int parts = 0;
        while (reader.TryReadTo(out ReadOnlySequence<byte> part, (byte)';'))
        {
            Expect.Equal($"segment {parts}", Encoding.UTF8.GetString(part));
            if (++parts % 100 == 0)
                Heap.Turn();
        }
        Expect.Equal(400, parts);

        List<(IMemoryOwner<int> Owner, MemoryHandle Handle)> rented = [];
        for (int i = 1; i <= 60; i++)
        {
            IMemoryOwner<int> owner = MemoryPool<int>.Shared.Rent(i * 50);
            owner.Memory.Span.Fill(i);
            MemoryHandle handle = owner.Memory[(i % 40)..].Pin();
            rented.Add((owner, handle));
        }
        int[] plain = GC.AllocateArray<int>(100, pinned: true);
        Memory<int> prePinned = System.Runtime.InteropServices.MemoryMarshal.CreateFromPinnedArray(plain, 10, 50);
        Memory<int> managed = new Manager([1, 2, 3]).Memory[1..];
        using (MemoryHandle handle = prePinned.Pin())
        using (MemoryHandle other = managed.Pin())
        {
            for (int round = 0; round < 5; round++)
            {
                Heap.Churn(128);
                Heap.Turn();
                for (int i = 1; i <= 60; i++)
                    Expect.Equal(i, *(int*)rented[i - 1].Handle.Pointer);
                *(int*)handle.Pointer = round;
                Expect.Equal(round, plain[10]);
                Expect.Equal(2, *(int*)other.Pointer);
            }
        }
        foreach ((IMemoryOwner<int> owner, MemoryHandle handle) in rented)
        {
            handle.Dispose();
            owner.Dispose();
        }
        output.WriteLine($"{parts} parts of {length} bytes");
    }
}
