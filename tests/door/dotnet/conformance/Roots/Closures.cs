// Closures: captured variables shared by several lambdas, nested captures, loops, local functions by struct capture.
// Rule: captured variables live in heap objects that the delegates refer to.
// A delegate's target is an ordinary reference field beside two code pointers, which must never be taken for references.

namespace Garner.Conformance;

[Behaviour("roots-closures", "captured variables are shared and kept by lambdas over collections")]
internal static class Closures
{
    private static (Func<int> Next, Func<string> Show, Action<object> Put) Counter(int start)
    {
        int n = start;
        object last = start.ToString();
        return (() => ++n, () => $"{n}:{last}", o => last = o);
    }

    private static Func<int, Func<int, int>> Curry(int a)
    {
        int[] big = [a, a, a];
        return b =>
        {
            string text = (a + b).ToString();
            return c => big[2] + b + c + int.Parse(text);
        };
    }

    public static void Run(TextWriter output)
    {
        (Func<int> Next, Func<string> Show, Action<object> Put)[] counters = [.. Enumerable.Range(0, 200).Select(Counter)];
        List<Func<int>> loops = [];
        for (int i = 0; i < 200; i++)
        {
            int[] captured = [i];
            loops.Add(() => captured[0]++);
        }
        for (int round = 1; round <= 10; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < counters.Length; i++)
            {
                Expect.Equal(i + round, counters[i].Next());
                counters[i].Put(new string('x', round));
                Expect.Equal($"{i + round}:{new string('x', round)}", counters[i].Show());
                Expect.Equal(i + round - 1, loops[i]());
            }
        }
        List<Func<int, int>> curried = [];
        for (int i = 0; i < 300; i++)
            curried.Add(Curry(i)(i + 1));
        Heap.Full();
        long sum = 0;
        for (int i = 0; i < curried.Count; i++)
        {
            Expect.Equal(4 * i + 5, curried[i](3) - 0);
            sum += curried[i](3);
        }
        string outer = 1.ToString();
        Expect.Equal("1,2", Local(2));
        output.WriteLine(sum);

        string Local(int n)
        {
            Heap.Turn();
            return $"{outer},{n}";
        }
    }
}
