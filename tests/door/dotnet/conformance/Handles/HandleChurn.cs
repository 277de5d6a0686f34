// Handles of all kinds made and freed by many threads, while collections run, so that slots are used again at once.
// Rule: making and freeing handles is allowed at any time on any thread.
// Slots are freed and reused while the collector walks them; freed ones must not be taken for live ones and vice versa.

using System.Runtime;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("handle-churn", "handles of every kind made and freed by eight threads during collections keep the right targets")]
internal static class HandleChurn
{
    public static void Run(TextWriter output)
    {
        int steps = Work.Scaled(10_000, 400);
        Crew.Run(8, number =>
        {
            Dice dice = new((ulong)number * 31 + 1);
            (GCHandle Handle, int[] Target)[] strong = new (GCHandle, int[])[64];
            (DependentHandle Handle, object Key, int[] Value)[] dependent = new (DependentHandle, object, int[])[32];
            for (int i = 0; i < steps; i++)
            {
                ref (GCHandle Handle, int[] Target) entry = ref strong[dice.Below(strong.Length)];
                if (entry.Handle.IsAllocated)
                {
                    if (entry.Handle.Target != entry.Target)
                        Expect.That(false, $"target in step {i} of thread {number}");
                    entry.Handle.Free();
                }
                entry.Target = [number, i];
                entry.Handle = GCHandle.Alloc(entry.Target, (GCHandleType)(i % 4));

                ref (DependentHandle Handle, object Key, int[] Value) pair = ref dependent[dice.Below(dependent.Length)];
                if (pair.Handle.IsAllocated)
                {
                    if (pair.Handle.Target != pair.Key || pair.Handle.Dependent != pair.Value)
                        Expect.That(false, $"dependent in step {i} of thread {number}");
                    pair.Handle.Dispose();
                }
                pair.Key = new object();
                pair.Value = [i];
                pair.Handle = new DependentHandle(pair.Key, pair.Value);
                if (number == 0 && i % 500 == 0)
                    Heap.Turn();
            }
            foreach ((GCHandle handle, _) in strong)
                if (handle.IsAllocated)
                    handle.Free();
            foreach ((DependentHandle handle, _, _) in dependent)
                handle.Dispose();
        });
        output.WriteLine("eight threads");
    }
}
