// GCSettings.LatencyMode: setting and reading every mode.
// Rule: modes are hints: a mode that the collector does not support in this setting is ignored; a supported one reads back.
// LowLatency exists for workstation only, SustainedLowLatency for concurrent collectors only.

using System.Runtime;

namespace Garner.Conformance;

[Behaviour("api-latency-modes", "GCSettings.LatencyMode can be set to every mode, reads back the mode or the one before, refuses others")]
internal static class LatencyModes
{
    public static void Run(TextWriter output)
    {
        GCLatencyMode initial = GCSettings.LatencyMode;
        Expect.That(initial is GCLatencyMode.Interactive or GCLatencyMode.Batch, "the initial mode");
        foreach (GCLatencyMode mode in (GCLatencyMode[])[GCLatencyMode.Batch, GCLatencyMode.LowLatency, GCLatencyMode.Batch, GCLatencyMode.SustainedLowLatency, GCLatencyMode.Batch])
        {
            GCLatencyMode before = GCSettings.LatencyMode;
            GCSettings.LatencyMode = mode;
            GCLatencyMode after = GCSettings.LatencyMode;
            Expect.That(after == mode || (mode != GCLatencyMode.Batch && after == before), $"mode {mode}");
            Heap.Churn(512);
            Heap.Turn();
            object[] live = [.. Enumerable.Range(0, 500).Select(static i => (object)i)];
            Heap.Young();
            Expect.That(live.Select(static (o, i) => (int)o == i).All(static b => b), "objects live in any mode");
        }
        GCSettings.LatencyMode = GCLatencyMode.Batch;
        Expect.Equal(GCLatencyMode.Batch, GCSettings.LatencyMode);
        GCSettings.LatencyMode = initial;
        Expect.Equal(initial, GCSettings.LatencyMode);
        Expect.Throws<ArgumentOutOfRangeException>(static () => GCSettings.LatencyMode = (GCLatencyMode)77, "an unknown mode");
        output.WriteLine("hints taken");
    }
}
