// GCSettings.IsServerGC and what the program was configured with.
// Rule: it says Server exactly if the setting asks for it and there is more than one processor.
// The answer comes from the runtime, which passes it to the collector; frameworks size their pools by it.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-is-server", "GCSettings.IsServerGC follows DOTNET_gcServer, AppContext keeps the configured values")]
internal static class ServerFlag
{
    public static void Run(TextWriter output)
    {
        bool asked = Environment.GetEnvironmentVariable("DOTNET_gcServer") == "1";
        Expect.Equal(asked && Environment.ProcessorCount > 1, GCSettings.IsServerGC);
        Expect.That(AppContext.TryGetSwitch("System.Globalization.Invariant", out bool invariant) && invariant, "a switch of the runtimeconfig");
        Expect.That(!AppContext.TryGetSwitch("System.GC.Server", out _), "a switch that is set nowhere");
        object value = new int[] { 1 };
        AppContext.SetData("conformance", value);
        Heap.Turn();
        Heap.Full();
        Expect.Same(value, AppContext.GetData("conformance"));
        AppContext.SetData("conformance", null);
        output.WriteLine("as configured");
    }
}
