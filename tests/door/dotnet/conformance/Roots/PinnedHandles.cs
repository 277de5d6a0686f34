// Pinned GCHandles on objects that were young when pinned: small, large, old, strings, boxed values.
// Rule: AddrOfPinnedObject stays valid until Free; the pinned object may refer to nothing that the runtime cannot pin.
// An object pinned while young must be kept in place by a young collection that evacuates all around it.

using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-pinned-handles", "GCHandleType.Pinned keeps addresses and contents of young, old, large and boxed objects")]
internal static class PinnedHandles
{
    public static unsafe void Run(TextWriter output)
    {
        int count = Work.Scaled(600, 60);
        List<GCHandle> handles = [];
        List<nint> addresses = [];
        for (int i = 0; i < count; i++)
        {
            object target = (i % 5) switch
            {
                0 => Filled(40 + i, (byte)i),
                1 => Filled(i % 50 == 1 ? 90_000 : 500, (byte)i),
                2 => new string((char)(byte)i, 33),
                3 => (object)(long)i,
                _ => new double[] { i, i, i },
            };
            if (i % 11 == 0)
                Heap.Turn();
            handles.Add(GCHandle.Alloc(target, GCHandleType.Pinned));
            addresses.Add(handles[i].AddrOfPinnedObject());
            Heap.Churn(4);
        }
        for (int round = 0; round < 10; round++)
        {
            Heap.Churn(256);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                if (!handles[i].IsAllocated)
                    continue;
                Expect.Equal(addresses[i], handles[i].AddrOfPinnedObject(), $"address {i}");
                bool right = handles[i].Target switch
                {
                    byte[] bytes => !bytes.AsSpan().ContainsAnyExcept((byte)i) && *(byte*)addresses[i] == (byte)i,
                    string s => s.Length == 33 && *(char*)addresses[i] == (char)(byte)i,
                    long n => n == i && *(long*)addresses[i] == i,
                    double[] d => d[2] == i && *(double*)addresses[i] == i,
                    _ => false,
                };
                Expect.That(right, $"content {i}");
                if (i % 10 == round)
                {
                    handles[i].Free();
                    handles[i] = default;
                }
            }
        }
        Expect.Throws<ArgumentException>(() => GCHandle.Alloc(new object[1][].Select(static x => (x, 1)).ToList(), GCHandleType.Pinned), "pinning an object with references");
        GCHandle none = GCHandle.Alloc(null, GCHandleType.Pinned);
        Heap.Full();
        Expect.That(none.Target == null && none.AddrOfPinnedObject() == 0, "a pinned handle to nothing");
        none.Free();
        output.WriteLine($"{count} pins held");
    }

    private static byte[] Filled(int length, byte value)
    {
        byte[] bytes = new byte[length];
        bytes.AsSpan().Fill(value);
        return bytes;
    }
}
