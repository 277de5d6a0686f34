// Figures of single collections, as workloads print them that start or count collections themselves.

using System.Globalization;

namespace Garner.Bench;

internal static class Figures
{
    public static double Median(ReadOnlySpan<double> values)
    {
        if (values.IsEmpty) return 0;
        double[] sorted = values.ToArray();
        Array.Sort(sorted);
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    public static string Milliseconds(double value) => value.ToString("F3", CultureInfo.InvariantCulture);

    public static string Milliseconds(IEnumerable<double> values) => $"[{string.Join(',', values.Select(Milliseconds))}]";
}
