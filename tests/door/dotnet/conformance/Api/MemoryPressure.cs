// GC.AddMemoryPressure and RemoveMemoryPressure.
// Rule: pressure makes collections come earlier; it may be removed again; the amount must be positive.
// The runtime decides with figures it asks the collector for, and ends in a collection request.

namespace Garner.Conformance;

[Behaviour("api-memory-pressure", "AddMemoryPressure of gigabytes causes collections; RemoveMemoryPressure balances; bad amounts are refused")]
internal static class MemoryPressure
{
    public static void Run(TextWriter output)
    {
        int before = GC.CollectionCount(0);
        const long Amount = 100_000_000;
        int added = 0;
        Expect.That(Heap.Wait(() => // the runtime asks for none while the last one is not long ago, for as long as that took
        {
            GC.AddMemoryPressure(Amount);
            added++;
            return GC.CollectionCount(0) > before;
        }), "pressure causes a collection");
        for (; added > 0; added--)
            GC.RemoveMemoryPressure(Amount);
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.AddMemoryPressure(0), "no pressure");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.AddMemoryPressure(-5), "negative pressure");
        Expect.Throws<ArgumentOutOfRangeException>(static () => GC.RemoveMemoryPressure(0), "removing nothing");
        Crew.Run(4, static _ =>
        {
            for (int i = 0; i < 2000; i++)
            {
                GC.AddMemoryPressure(1 + i);
                GC.RemoveMemoryPressure(1 + i);
            }
        });
        output.WriteLine("collected under pressure");
    }
}
