// A program whose collector threads are not bound to processors.
// Rule: binding is about speed only.
// A worker may meet itself on any processor between two looks. suite/workers.sh shows where the threads run.

namespace Garner.Conformance;

[Behaviour("setting-no-affinitize", "DOTNET_GCNoAffinitize=1: in effect; programs run as ever with unbound collector threads", Settings = "DOTNET_GCNoAffinitize=1")]
internal static class SettingNoAffinitize
{
    public static void Run(TextWriter output)
    {
        Expect.Equal(true, (bool)GC.GetConfigurationVariables()["NoAffinitize"]);
        output.WriteLine($"checksum {Workload.Run():x16}");
    }
}
