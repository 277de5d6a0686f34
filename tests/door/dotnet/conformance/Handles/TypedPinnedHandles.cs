// PinnedGCHandle<T> of .NET 10 with its address helpers for arrays and strings.
// Rule: the object stays where it is while the handle holds it; the target may be exchanged, and may be null.
// Exchanging the target of one handle moves the pin from one object to another between two collections.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-typed-pinned", "PinnedGCHandle<T>: addresses of arrays and strings, exchanged targets, disposal")]
internal static class TypedPinnedHandles
{
    public static unsafe void Run(TextWriter output)
    {
        PinnedGCHandle<byte[]> bytes = new(null!);
        Expect.That(bytes.IsAllocated && bytes.Target == null, "a pinned handle without a target");
        using PinnedGCHandle<string> text = new(new string('s', 50));
        char* chars = text.GetAddressOfStringData();
        List<byte[]> released = [];
        for (int n = 1; n <= 60; n++)
        {
            Heap.Churn(16);
            byte[] array = new byte[n * 40];
            array.AsSpan().Fill((byte)n);
            bytes.Target = array;
            byte* address = bytes.GetAddressOfArrayData();
            for (int round = 0; round < 3; round++)
            {
                Heap.Turn();
                Heap.Churn(32);
                Expect.That(address == bytes.GetAddressOfArrayData() && address[0] == n && address[n * 40 - 1] == n, $"array {n}");
                Expect.That(chars == text.GetAddressOfStringData() && chars[49] == 's', "string");
            }
            Expect.Same(array, bytes.Target);
            released.Add(array);
        }
        bytes.Dispose();
        Expect.That(!bytes.IsAllocated, "disposed");
        Heap.Full();
        for (int n = 1; n <= 60; n++)
            Expect.That(!released[n - 1].AsSpan().ContainsAnyExcept((byte)n), $"released array {n}");
        output.WriteLine("60 targets in one handle");
    }
}
