// GC.GetConfigurationVariables.
// Rule: the settings the collector uses, under the names and with the types of the runtime's own collector; no null names or values.
// Diagnostic pages print all of it, and programs look up single ones: a missing name throws.

namespace Garner.Conformance;

[Behaviour("api-configuration-variables", "GC.GetConfigurationVariables has every name of the runtime's own collector with its type, and says what is in effect")]
internal static class ConfigurationVariables
{
    private static readonly string[] Flags = ["ServerGC", "ConcurrentGC", "RetainVM", "GCCpuGroup", "NoAffinitize", "GCLargePages"];
    private static readonly string[] Texts = ["GCHeapAffinitizeRanges", "GCName", "GCPath"];
    private static readonly string[] Numbers = ["GCHeapAffinitizeMask", "HeapCount", "MaxHeapCount", "GCHeapHardLimit", "GCHeapHardLimitPercent",
        "GCHeapHardLimitSOH", "GCHeapHardLimitLOH", "GCHeapHardLimitPOH", "GCHeapHardLimitSOHPercent", "GCHeapHardLimitLOHPercent",
        "GCHeapHardLimitPOHPercent", "GCHighMemPercent", "GCGen0MaxBudget", "GCRegionRange", "GCRegionSize", "LOHThreshold", "GCConserveMem",
        "GCDynamicAdaptationMode", "GCDTargetTCP", "GCDGen0GrowthPercent", "GCDGen0GrowthMinFactor", "GCDGen0GrowthMaxFactor", "UOHWaitBGCSizeIncPercent"];

    public static void Run(TextWriter output)
    {
        IReadOnlyDictionary<string, object> variables = GC.GetConfigurationVariables();
        foreach ((string name, object value) in variables)
        {
            Expect.That(!string.IsNullOrWhiteSpace(name), "a name");
            Expect.That(value is bool or long or string, $"{name} is a truth value, a number or a text");
        }
        foreach (string name in Flags)
            Expect.That(variables.TryGetValue(name, out object? value) && value is bool, $"{name} is a truth value");
        foreach (string name in Texts)
            Expect.That(variables.TryGetValue(name, out object? value) && value is string, $"{name} is a text");
        foreach (string name in Numbers)
            Expect.That(variables.TryGetValue(name, out object? value) && value is long, $"{name} is a number");
        Expect.Equal(System.Runtime.GCSettings.IsServerGC, (bool)variables["ServerGC"]);
        Expect.Equal(85_000L, (long)variables["LOHThreshold"]);
        Expect.Equal(90L, (long)variables["GCHighMemPercent"]);
        Expect.That((long)variables["GCGen0MaxBudget"] > 0, "a largest budget of generation 0");
        Expect.Equal(0L, (long)variables["GCConserveMem"]);
        GC.Collect();
        long limit = (long)variables["GCHeapHardLimit"]; // a container may set one
        Expect.That(limit == 0 || limit == GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, "a limit is what is available");
        for (int i = 0; i < 10; i++)
        {
            Heap.Young();
            IReadOnlyDictionary<string, object> later = GC.GetConfigurationVariables();
            Expect.Equal(variables.Count, later.Count);
            Expect.Equal((long)variables["HeapCount"], (long)later["HeapCount"], "the number of heaps after a collection");
        }
        output.WriteLine("readable");
    }
}
