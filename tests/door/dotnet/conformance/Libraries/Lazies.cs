// Lazy<T>, lazily initialised fields, Task caches, from many threads.
// Rule: the factory runs once (in that mode), everybody sees one object.
// The factory delegate is dropped when it has run: a field changes from one kind of object to another.

namespace Garner.Conformance;

[Behaviour("lib-lazy", "Lazy<T> and LazyInitializer make one object each for all threads during collections")]
internal static class Lazies
{
    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(2000, 100), made = 0;
        Lazy<int[]>[] lazies = new Lazy<int[]>[count];
        for (int i = 0; i < count; i++)
        {
            int number = i;
            lazies[i] = new Lazy<int[]>(() =>
            {
                Interlocked.Increment(ref made);
                if (number % 200 == 0)
                    Heap.Turn();
                return [number];
            });
        }
        object?[] fields = new object?[count];
        object[][] seen = new object[4][];
        Crew.Run(4, number =>
        {
            seen[number] = new object[count * 2];
            for (int k = 0; k < count; k++)
            {
                int i = number % 2 == 0 ? k : count - 1 - k;
                seen[number][i] = lazies[i].Value;
                seen[number][count + i] = LazyInitializer.EnsureInitialized(ref fields[i], static () => new object());
                Expect.Equal(i, lazies[i].Value[0]);
            }
        });
        Heap.Full();
        Expect.Equal(count, made);
        for (int i = 0; i < count * 2; i++)
            Expect.That(seen[0][i] == seen[1][i] && seen[1][i] == seen[2][i] && seen[2][i] == seen[3][i], $"one object {i} for all");
        output.WriteLine($"{made} made");
    }
}
