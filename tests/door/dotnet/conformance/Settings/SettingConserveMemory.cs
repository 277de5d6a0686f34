// A program that asks the collector to keep the heap small.
// Rule: more compaction, the same results.
// Full collections compact where they would otherwise leave gaps. suite/settings.sh shows when they come here.

namespace Garner.Conformance;

[Behaviour("setting-conserve-memory", "DOTNET_GCConserveMemory=7: in effect; a full collection leaves at most three tenths of old space unused, programs run as ever", Settings = "DOTNET_GCConserveMemory=0x7")]
internal static class SettingConserveMemory
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(7L, (long)GC.GetConfigurationVariables()["GCConserveMem"]);
        byte[]?[] all = new byte[]?[60_000];
        for (int i = 0; i < all.Length; i++)
            all[i] = new byte[1000];
        Heap.Age(all[^1]!);
        for (int i = 0; i < all.Length; i++)
            if (i % 2 == 0)
                all[i] = null;
        GC.Collect();
        GC.Collect();
        GCGenerationInfo old = GC.GetGCMemoryInfo(GCKind.FullBlocking).GenerationInfo[2];
        Expect.That(old.SizeAfterBytes > 25_000_000, "what lives is old");
        Expect.That(old.FragmentationAfterBytes <= old.SizeAfterBytes * 3 / 10, $"{old.FragmentationAfterBytes} of {old.SizeAfterBytes} bytes are unused");
        GC.KeepAlive(all);
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
