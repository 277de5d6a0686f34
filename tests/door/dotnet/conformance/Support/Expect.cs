// Expectations: a failed one prints a line that says what was expected, and the behaviour ends as failed. All methods may be
// called from any thread. At most twenty failures of one behaviour are printed.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

internal static class Expect
{
    private static TextWriter s_output = TextWriter.Null;
    private static int s_failures;

    public static int Failures => Volatile.Read(ref s_failures);

    public static void Begin(TextWriter output)
    {
        s_output = output;
        s_failures = 0;
    }

    public static void That(bool holds, [CallerArgumentExpression(nameof(holds))] string what = "")
    {
        if (!holds)
            Fail(what);
    }

    public static void Equal<T>(T expected, T actual, [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            Fail($"{what}: expected {expected}, was {actual}");
    }

    public static void Same(object? expected, object? actual, [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        if (!ReferenceEquals(expected, actual))
            Fail($"{what}: another object than expected");
    }

    public static void Throws<TException>(Action action, string what) where TException : Exception
    {
        try
        {
            action();
        }
        catch (TException)
        {
            return;
        }
        catch (Exception e)
        {
            Fail($"{what}: expected {typeof(TException).Name}, was {e.GetType().Name}: {e.Message}");
            return;
        }
        Fail($"{what}: expected {typeof(TException).Name}, nothing was thrown");
    }

    private static void Fail(string what)
    {
        int number = Interlocked.Increment(ref s_failures);
        if (number <= 20)
            lock (s_output)
                s_output.WriteLine($"  expectation failed: {what}");
    }
}
