// Large arrays, one after the other, in a small heap that many threads fill with garbage meanwhile.
// Rule: OutOfMemoryException is for who asks for more than there is. Memory that a full collection has found for one thread must not be given to others before that thread comes for
// it, again and again, nor may their collections be taken for its own.

namespace Garner.Conformance;

[Behaviour("api-oom-beside-churn", "under a 40 MB hard limit 20 MB arrays, of which one lives, are made while 15 threads make garbage, without an OutOfMemoryException", Settings = "DOTNET_GCHeapHardLimit=0x2800000")]
internal static class OomBesideChurn
{
    private const int Arrays = 60;

    public static void Run(TextWriter output)
    {
        bool stop = false;
        int failed = 0, made = 0;
        Thread[] threads = [.. Enumerable.Range(0, 15).Select(_ => new Thread(() =>
        {
            byte[][] kept = new byte[64][];
            for (int i = 0; !Volatile.Read(ref stop); i++)
                kept[i % kept.Length] = new byte[2000];
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        byte[]? array = null;
        for (int i = 0; i < Arrays; i++)
        {
            GC.KeepAlive(array);
            array = null;
            try
            {
                array = new byte[20_000_000];
                made++;
            }
            catch (OutOfMemoryException)
            {
                failed++;
            }
        }
        Volatile.Write(ref stop, true);
        foreach (Thread thread in threads)
            thread.Join();
        if (Heap.OnGarner) // stock Server divides the limit among heaps
            Expect.Equal(0, failed, "arrays that found no memory");
        Expect.Equal(Arrays, made + failed);
        output.WriteLine($"{Arrays} arrays");
    }
}
