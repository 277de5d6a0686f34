// A program that keeps memory for later instead of giving it back.
// Rule: kept memory is used again, zeroed.
// Memory that is not given back is not zeroed by the system. suite/settings.sh shows how much is kept here.

namespace Garner.Conformance;

[Behaviour("setting-retain-vm", "DOTNET_GCRetainVM=1: in effect; kept memory is zero when used again, programs run as ever", Settings = "DOTNET_GCRetainVM=1")]
internal static class SettingRetainVM
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(true, (bool)GC.GetConfigurationVariables()["RetainVM"]);
        for (int round = 0; round < 4; round++)
        {
            byte[][] all = [.. Enumerable.Range(0, Work.Scaled(20_000, 2000)).Select(static _ => new byte[2000])];
            Expect.That(all.All(static a => !a.AsSpan().ContainsAnyExcept((byte)0)), "new memory is zero");
            foreach (byte[] one in all)
                one.AsSpan().Fill(0xA5);
            all = [];
            Heap.Full();
        }
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
