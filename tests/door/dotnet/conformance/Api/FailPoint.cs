// MemoryFailPoint: a gate for large operations, nested and disposed, within what is available.
// Rule: it reserves nothing but keeps account; the amount must be positive.
// It asks the collector for its segment size and the last collection.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-memory-failpoint", "MemoryFailPoint lets small amounts pass, nested and disposed, and refuses none or negative ones")]
internal static class FailPoint
{
    public static void Run(TextWriter output)
    {
        using (new MemoryFailPoint(10))
        using (MemoryFailPoint inner = new(1))
        {
            byte[] bytes = new byte[10_000_000];
            Heap.Full();
            Expect.Equal(10_000_000, bytes.Length);
            GC.KeepAlive(inner);
        }
        for (int i = 1; i <= 50; i++)
            using (new MemoryFailPoint(i))
                Heap.Churn(64);
        Expect.Throws<ArgumentOutOfRangeException>(static () => new MemoryFailPoint(0).Dispose(), "0 MB");
        Expect.Throws<ArgumentOutOfRangeException>(static () => new MemoryFailPoint(-1).Dispose(), "-1 MB");
        output.WriteLine("passed");
    }
}
