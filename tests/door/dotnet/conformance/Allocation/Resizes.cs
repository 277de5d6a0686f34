// Array.Resize, List growth, and StringBuilder chunks over collections.
// Rule: growth copies references in bulk into a younger or larger object; the old one dies.
// The bulk copy crosses the large-object threshold on the way.

using System.Text;

namespace Garner.Conformance;

[Behaviour("alloc-resize", "Array.Resize, List<T> and StringBuilder growth across the large-object threshold keep their elements")]
internal static class Resizes
{
    public static void Run(TextWriter output)
    {
        string[] array = [];
        List<object> list = [];
        StringBuilder builder = new();
        Queue<string> queue = new();
        int count = Work.Scaled(60_000, 15_000);
        ulong sum = 0;
        for (int i = 0; i < count; i++)
        {
            if (i == array.Length)
                Array.Resize(ref array, array.Length * 2 + 1);
            array[i] = i.ToString();
            list.Add(array[i]);
            queue.Enqueue(array[i]);
            if (queue.Count > 100)
                queue.Dequeue();
            builder.Append(array[i]).Append(',');
            if (i % 8000 == 0)
                Heap.Turn();
        }
        Heap.Full();
        for (int i = 0; i < count; i++)
            Expect.That(array[i] == i.ToString() && ReferenceEquals(array[i], list[i]), $"element {i}");
        Expect.Equal((count - 100).ToString(), queue.Peek());
        string text = builder.ToString();
        builder.Clear();
        Heap.Full();
        string[] parts = text.Split(',');
        Expect.Equal(count + 1, parts.Length);
        for (int i = 0; i < count; i++)
            Expect.That(parts[i] == array[i], $"part {i}");
        sum = Work.Mix(sum, text);
        list.RemoveRange(10, list.Count - 10);
        list.TrimExcess();
        Heap.Full();
        Expect.Equal("9", (string)list[9]);
        output.WriteLine(Work.Divisor > 1 ? "held" : $"text {text.Length} checksum {sum:x16}");
    }
}
