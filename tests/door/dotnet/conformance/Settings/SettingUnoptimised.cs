// A program that stays in unoptimised code.
// Rule: unoptimised frames report every slot for the whole method, dead values too.
// A slot that holds a dead but valid reference must still be updated: it is reported.

namespace Garner.Conformance;

[Behaviour("setting-unoptimised", "no tier-up and no precompiled code: the mixed workload in unoptimised code", Settings = "DOTNET_TieredCompilation=1 DOTNET_TC_BackgroundWorkerTimeoutMs=0 DOTNET_TC_CallCountThreshold=0x7FFF DOTNET_TC_OnStackReplacement_InitialCounter=0x7FFFFFF DOTNET_ReadyToRun=0")]
internal static class SettingUnoptimised
{
    public static void Run(TextWriter output)
    {
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
