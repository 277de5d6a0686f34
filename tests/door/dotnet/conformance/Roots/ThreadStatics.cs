// [ThreadStatic] fields of reference, value and generic types on many threads; the values die with their thread.
// Rule: each thread's statics are roots of that thread alone.
// They live in per-thread arrays that the runtime reports separately from stacks and ordinary statics.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-thread-statics", "thread statics keep their objects while the thread lives, one set per thread, and free them afterwards")]
internal static class ThreadStatics
{
    [ThreadStatic] private static object? t_object;
    [ThreadStatic] private static (string Text, int Number) t_pair;
    [ThreadStatic] private static int t_number;
    private static class Generic<T>
    {
        [ThreadStatic] public static T? Value;
        [ThreadStatic] public static List<T>? List;
    }

    public static void Run(TextWriter output)
    {
        const int Threads = 12;
        List<WeakReference> dead = [];
        using Barrier barrier = new(Threads);
        Crew.Run(Threads, number =>
        {
            t_object = new int[] { number };
            t_pair = ($"thread {number}", number);
            t_number = number;
            Generic<string>.Value = number.ToString();
            Generic<string>.List = [];
            Generic<int>.Value = number;
            Generic<object>.List = [t_object];
            lock (dead)
                dead.Add(new WeakReference(t_object));
            for (int round = 0; round < 10; round++)
            {
                barrier.SignalAndWait();
                if (round % Threads == number)
                    Heap.Turn();
                Heap.Churn(32);
                barrier.SignalAndWait();
                Generic<string>.List.Add((number * 100 + round).ToString());
                Expect.That(((int[])t_object)[0] == number && t_number == number, $"object of thread {number}");
                Expect.That(t_pair.Text == $"thread {number}" && t_pair.Number == number, $"struct of thread {number}");
                Expect.That(Generic<string>.Value == number.ToString() && Generic<int>.Value == number, $"generic of thread {number}");
                Expect.That(Generic<string>.List[round] == (number * 100 + round).ToString() && Generic<object>.List[0] == t_object, $"list of thread {number}");
            }
        });
        Expect.That(t_object == null && t_pair.Text == null && Generic<string>.Value == null, "the main thread's own are unset");
        Expect.That(Heap.Until(() => dead.TrueForAll(static w => !w.IsAlive)), "what ended threads held is collected");
        output.WriteLine($"{Threads} threads");
    }
}
