// Async methods with locals across awaits: completed, yielded, delayed, thrown, nested, in value tasks and async streams.
// Rule: a suspended method's locals live in its boxed state machine, which its continuation keeps alive.
// The state machine is an object with references between plain fields, filled while it is being boxed.

namespace Garner.Conformance;

[Behaviour("roots-async", "locals of async methods, value tasks and async streams survive collections across awaits")]
internal static class AsyncStates
{
    private static async Task<string> Deep(int depth, string text)
    {
        int[] local = [depth, depth * 2];
        if (depth % 3 == 0)
            await Task.Yield();
        if (depth % 5 == 0)
            Heap.Turn();
        if (depth == 0)
            return text;
        string below = await Deep(depth - 1, text + ".");
        Expect.That(local[0] == depth && local[1] == depth * 2, $"local of depth {depth}");
        return below + depth % 10;
    }

    private static async ValueTask<(object, int)> Value(int n)
    {
        object boxed = (long)n;
        await Task.Yield();
        Heap.Churn(8);
        return (boxed, n);
    }

    private static async IAsyncEnumerable<string> Stream(int count)
    {
        List<string> history = [];
        for (int i = 0; i < count; i++)
        {
            history.Add(i.ToString());
            if (i % 4 == 0)
                await Task.Yield();
            if (i % 10 == 0)
                Heap.Turn();
            yield return string.Join(' ', history[Math.Max(0, i - 2)..]);
        }
    }

    private static async Task<string> Caught()
    {
        object before = new int[] { 77 };
        try
        {
            await Thrown(before);
            return "not thrown";
        }
        catch (InvalidOperationException e) when (ReferenceEquals(e.Data["object"], before))
        {
            Heap.Full();
            return e.Message + ((int[])before)[0];
        }
        finally
        {
            await Task.Yield();
        }
    }

    private static async Task Thrown(object data)
    {
        await Task.Yield();
        Heap.Turn();
        throw new InvalidOperationException("thrown ") { Data = { ["object"] = data } };
    }

    public static void Run(TextWriter output)
    {
        output.WriteLine(Deep(40, "text").GetAwaiter().GetResult());
        Task<string>[] many = [.. Enumerable.Range(0, Work.Scaled(200, 20)).Select(static i => Deep(i % 30, i.ToString()))];
        Task.WaitAll(many);
        for (int i = 0; i < many.Length; i++)
            Expect.That(many[i].Result.StartsWith(i.ToString(), StringComparison.Ordinal), $"task {i}");
        Sum(output).GetAwaiter().GetResult();
        output.WriteLine(Caught().GetAwaiter().GetResult());
    }

    private static async Task Sum(TextWriter output)
    {
        long sum = 0;
        for (int i = 0; i < 50; i++)
        {
            (object boxed, int n) = await Value(i);
            sum += (long)boxed + n;
        }
        string last = "";
        await foreach (string text in Stream(60))
            last = text;
        output.WriteLine($"{sum} {last}");
    }
}
