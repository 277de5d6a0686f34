// GC.GetConfigurationVariables.
// Rule: the settings the collector uses, by their public names; no null names or values.
// Diagnostic pages print all of it.

namespace Garner.Conformance;

[Behaviour("api-configuration-variables", "GC.GetConfigurationVariables has no nulls, and agrees with what is known where it answers")]
internal static class ConfigurationVariables
{
    public static void Run(TextWriter output)
    {
        IReadOnlyDictionary<string, object> variables = GC.GetConfigurationVariables();
        foreach ((string name, object value) in variables)
        {
            Expect.That(!string.IsNullOrWhiteSpace(name), "a name");
            Expect.That(value is bool or long or string, $"{name} is a truth value, a number or a text");
        }
        if (variables.TryGetValue("ServerGC", out object? server))
            Expect.Equal(System.Runtime.GCSettings.IsServerGC, (bool)server);
        if (variables.TryGetValue("GCHeapHardLimit", out object? limit))
            Expect.Equal(0L, (long)limit);
        for (int i = 0; i < 10; i++)
        {
            Heap.Young();
            Expect.Equal(variables.Count, GC.GetConfigurationVariables().Count);
        }
        output.WriteLine("readable");
    }
}
