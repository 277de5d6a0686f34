// Figures of single collections, as workloads print them that start or count collections themselves.

using System.Globalization;

namespace Garner.Bench;

internal static class Figures
{
    // Of nothing there is none: not a number, which is printed as null, for zero would be the best there can be.
    public static double Median(ReadOnlySpan<double> values)
    {
        if (values.IsEmpty) return double.NaN;
        double[] sorted = values.ToArray();
        Array.Sort(sorted);
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    public static string Number(double value, string format) => double.IsFinite(value) ? value.ToString(format, CultureInfo.InvariantCulture) : "null";

    public static string Milliseconds(double value) => Number(value, "F3");

    public static string Milliseconds(IEnumerable<double> values) => $"[{string.Join(',', values.Select(Milliseconds))}]";
}
