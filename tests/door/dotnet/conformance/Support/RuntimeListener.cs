// An EventListener on the runtime's own events, of the keyword and the level that a behaviour asks for.
// The runtime tells a listener of sources before its constructor runs: what they need to know is a property, not a field.

using System.Diagnostics.Tracing;

namespace Garner.Conformance;

internal abstract class RuntimeListener : EventListener
{
    protected virtual EventKeywords Keywords => (EventKeywords)1; // GC
    protected virtual EventLevel Level => EventLevel.Informational;

    protected override void OnEventSourceCreated(EventSource source)
    {
        if (source.Name == "Microsoft-Windows-DotNETRuntime")
            EnableEvents(source, Level, Keywords);
    }

    /// <summary>A number or an address.</summary>
    protected static ulong NumberOf(EventWrittenEventArgs e, string field)
    {
        object? value = e.Payload![e.PayloadNames!.IndexOf(field)];
        return value is nint address ? (ulong)address : Convert.ToUInt64(value);
    }
}
