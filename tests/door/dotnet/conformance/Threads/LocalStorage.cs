// ThreadLocal<T>, AsyncLocal<T> and LocalDataStoreSlot across threads that end and tasks that move between threads.
// Rule: values belong to their thread or flow with the task; values of ended threads are dropped.
// ThreadLocal links per-thread tables through finalizers, AsyncLocal copies immutable maps at each change.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("thread-local-storage", "ThreadLocal<T> and AsyncLocal<T> values are right per thread and per task over collections")]
internal static class LocalStorage
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static List<WeakReference> Ended(ThreadLocal<object> local)
    {
        List<WeakReference> weak = [];
        Crew.Run(10, number =>
        {
            local.Value = new int[] { number };
            lock (weak)
                weak.Add(new WeakReference(local.Value));
            Heap.Churn(32);
            Expect.Equal(number, ((int[])local.Value!)[0]);
        });
        return weak;
    }

    public static void Run(TextWriter output)
    {
        ThreadLocal<object> local = new(static () => "initial");
        Expect.Equal("initial", (string)local.Value!);
        List<WeakReference> ended = Ended(local);
        Expect.That(Heap.Until(() => ended.TrueForAll(static w => !w.IsAlive)), "values of ended threads are dropped");
        Expect.Equal("initial", (string)local.Value!);
        local.Dispose();

        AsyncLocal<string> flowing = new();
        Task[] tasks = [.. Enumerable.Range(0, Work.Scaled(200, 20)).Select(i => Task.Run(async () =>
        {
            flowing.Value = i.ToString();
            await Task.Yield();
            Heap.Churn(4);
            if (i % 40 == 0)
                Heap.Turn();
            await Inner(i);
            Expect.Equal(i.ToString(), flowing.Value);
        }))];
        Task.WaitAll(tasks);
        Expect.That(flowing.Value == null, "nothing flows back");
        output.WriteLine("values in their places");

        async Task Inner(int i)
        {
            Expect.Equal(i.ToString(), flowing.Value);
            flowing.Value += "!";
            await Task.Delay(1);
            Expect.Equal(i + "!", flowing.Value);
        }
    }
}
