// A program whose young generation may not grow beyond a size.
// Rule: the setting bounds the budget of generation 0, also below what the collector would begin with.
// A collector that grows its young space must not forget the bound, nor raise it to the size it starts with.
// With segments each of several heaps has a budget of its own: half as many collections.

namespace Garner.Conformance;

[Behaviour("setting-gen0-max-budget", "DOTNET_GCGen0MaxBudget (2 MB): reported, and a collection comes every 2 MB of garbage at the latest", Settings = "DOTNET_GCGen0MaxBudget=0x200000", NotOnSegments = true)]
internal static class SettingGen0MaxBudget
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(0x200000L, (long)GC.GetConfigurationVariables()["GCGen0MaxBudget"]);
        int came = Heap.Garbage(128);
        Expect.That(came >= 48, $"{came} collections for 128 MB");
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
