// Exceptions with filters, finally, fault paths, rethrow, nesting and inner exceptions, with a collection at each step.
// Rule: filters run while the throwing frames are still on the stack; the exception object and all locals are roots.
// During the two passes of exception handling frames are half unwound: their references must be reported once and updated.

using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Garner.Conformance;

[Behaviour("roots-exception-filters", "locals and exceptions survive collections in filters, finally blocks, rethrows and nested handlers")]
internal static class ExceptionFilters
{
    private sealed class Marked(object mark, string text) : Exception(text) { public readonly object Mark = mark; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Throw(int depth, object mark, List<string> log)
    {
        int[] local = [depth];
        try
        {
            if (depth == 0)
            {
                Heap.Turn();
                throw new Marked(mark, depth.ToString());
            }
            Throw(depth - 1, mark, log);
        }
        catch (Marked e) when (Filter(e, local, depth, mark))
        {
            Heap.Turn();
            log.Add($"caught at {local[0]}");
            try
            {
                throw new InvalidOperationException("inner", e);
            }
            catch (InvalidOperationException inner) when (inner.InnerException == e)
            {
                Heap.Young();
                ExceptionDispatchInfo.Capture(e).Throw();
            }
        }
        finally
        {
            Heap.Churn(4);
            Heap.Young();
            log.Add($"finally {local[0]}");
        }
    }

    private static bool Filter(Marked e, int[] local, int depth, object mark)
    {
        Heap.Turn();
        string garbage = string.Concat(depth.ToString(), "!");
        Expect.That(local[0] == depth && ReferenceEquals(e.Mark, mark) && garbage.EndsWith('!'), $"filter at depth {depth}");
        return depth == 4;
    }

    public static void Run(TextWriter output)
    {
        List<string> log = [];
        object mark = new int[] { 9 };
        for (int i = 0; i < 5; i++)
        {
            log.Clear();
            try
            {
                Throw(8, mark, log);
                Expect.That(false, "an exception arrives");
            }
            catch (Marked e)
            {
                Heap.Full();
                Expect.Same(mark, e.Mark);
                Expect.That(e.StackTrace!.Contains(nameof(Throw), StringComparison.Ordinal), "the stack trace names the thrower");
            }
        }
        output.WriteLine(string.Join("; ", log));

        int caught = 0;
        for (int i = 0; i < Work.Scaled(300, 30); i++)
            try
            {
                object?[] two = [null, "x"];
                _ = two[i % 3]!.ToString();
                caught += two.Length - 2;
            }
            catch (Exception e) when (e is NullReferenceException or IndexOutOfRangeException)
            {
                if (i % 10 == 0)
                    Heap.Young();
                caught++;
            }
        Expect.That(caught > 0, "hardware and range faults are caught");
        AggregateException many = new(Enumerable.Range(0, 50).Select(static i => new Marked(new int[] { i }, i.ToString())));
        Heap.Full();
        output.WriteLine(many.Flatten().InnerExceptions.Sum(static e => ((int[])((Marked)e).Mark)[0]));
    }
}
