// Iterators (yield) suspended with locals, nested and recursive, abandoned half-way, with finally blocks.
// Rule: an iterator's locals are fields of a heap object; an abandoned one is just garbage.
// Hundreds of suspended frames live in the heap at once, linked to each other only.

namespace Garner.Conformance;

[Behaviour("roots-iterators", "locals of suspended, nested and recursive iterators survive collections")]
internal static class Iterators
{
    private static IEnumerable<string> Walk(int depth, string path)
    {
        int[] local = [depth];
        yield return path;
        if (depth > 0)
            for (int child = 0; child < 3; child++)
            {
                foreach (string below in Walk(depth - 1, $"{path}/{child}"))
                {
                    Expect.Equal(depth, local[0]);
                    yield return below;
                }
            }
    }

    private static IEnumerable<int> WithFinally(List<string> log)
    {
        object[] held = [log, "held"];
        try
        {
            for (int i = 0; ; i++)
                yield return i;
        }
        finally
        {
            ((List<string>)held[0]).Add((string)held[1]);
        }
    }

    public static void Run(TextWriter output)
    {
        ulong sum = 0;
        int count = 0;
        foreach (string path in Walk(Work.Divisor > 1 ? 4 : 6, "root"))
        {
            sum = Work.Mix(sum, path);
            if (++count % 100 == 0)
                Heap.Turn();
        }
        output.WriteLine($"{count} paths, checksum {sum:x16}");

        List<IEnumerator<string>> open = [];
        for (int i = 0; i < 300; i++)
        {
            IEnumerator<string> enumerator = Walk(5, i.ToString()).GetEnumerator();
            for (int k = 0; k <= i % 17; k++)
                enumerator.MoveNext();
            if (i % 3 != 0)
                open.Add(enumerator);
        }
        Heap.Churn(256);
        Heap.Full();
        ulong rest = 0;
        foreach (IEnumerator<string> enumerator in open)
            while (enumerator.MoveNext())
                rest = Work.Mix(rest, enumerator.Current);
        output.WriteLine($"{open.Count} resumed, checksum {rest:x16}");

        List<string> log = [];
        foreach (int i in WithFinally(log))
        {
            Heap.Young();
            if (i == 5)
                break;
        }
        output.WriteLine(string.Join(' ', log));
    }
}
