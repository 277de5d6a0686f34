// Statics of collectible types, which live in ordinary movable objects, found through weak interior handles.
// Rule: such a static's object stays alive as long as the type; when the array holding it moves, the runtime's interior
// pointer moves by as much.
// The only handle kind with two words to update, one of them in native memory.

using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Garner.Conformance;

[Behaviour("roots-collectible-statics", "statics of collectible types keep their values over many moves (weak interior handles)")]
internal static class CollectibleStatics
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] Once(int contexts)
    {
        AssemblyLoadContext[] all = new AssemblyLoadContext[contexts];
        object[] instances = new object[contexts];
        for (int i = 0; i < contexts; i++)
        {
            (all[i], instances[i]) = Plugin.Load();
            ((IComparable<int>)instances[i]).CompareTo(i);
        }
        for (int round = 1; round <= 12; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            for (int i = 0; i < contexts; i++)
            {
                // Each context has its own statics; the table grows by one new key a round.
                int last = (round - 1) * 100 + i;
                Expect.Equal($"{last} {last} {last} True {round} True {last} 3", ((IFormattable)instances[i]).ToString(null, null), $"statics of context {i} in round {round}");
                ((IComparable<int>)instances[i]).CompareTo(round * 100 + i);
            }
        }
        foreach (AssemblyLoadContext context in all)
            context.Unload();
        return Array.ConvertAll(all, static c => new WeakReference(c, trackResurrection: true));
    }

    public static void Run(TextWriter output)
    {
        WeakReference[] contexts = Once(Work.Scaled(4, 2));
        Expect.That(Heap.Until(() => Array.TrueForAll(contexts, static c => !c.IsAlive)), "all contexts unload");
        output.WriteLine("statics of collectible types hold");
    }
}
