// Delegates: open and closed, static, instance, multicast lists, virtual, generic, over value types, compared after moving.
// Rule: a delegate refers to its target and, if multicast, to its list; its code pointers are plain numbers.
// Closed delegates over boxed structs call through stubs that adjust `this` to an interior pointer.

namespace Garner.Conformance;

[Behaviour("roots-delegates", "delegates of every kind keep target, list and equality over collections")]
internal static class Delegates
{
    private class Target(int number)
    {
        public readonly int Number = number;
        public virtual int Call(int by) { Heap.Young(); return Number + by; }
        public static int Static(int by) => by * 2;
        public T Generic<T>(T value) => Number >= 0 ? value : default!;
    }

    private sealed class Derived(int number) : Target(number) { public override int Call(int by) => base.Call(by) + 1; }

    private struct Value(int n) { private int _n = n; public int Count() => ++_n; }

    public static void Run(TextWriter output)
    {
        List<Func<int, int>> closed = [];
        List<Func<string, string>> generic = [];
        List<Func<int>> values = [];
        Func<int, int>? all = null;
        for (int i = 0; i < 200; i++)
        {
            Target target = i % 2 == 0 ? new Target(i) : new Derived(i);
            closed.Add(target.Call);
            generic.Add(target.Generic<string>);
            values.Add(new Value(i).Count);
            if (i < 20)
                all += target.Call;
        }
        all += Target.Static;
        Func<Target, int, int> open = typeof(Target).GetMethod(nameof(Target.Call))!.CreateDelegate<Func<Target, int, int>>();
        for (int round = 1; round <= 6; round++)
        {
            Heap.Churn(64);
            Heap.Turn();
            for (int i = 0; i < closed.Count; i += 5)
            {
                Expect.Equal(i + round + i % 2, closed[i](round));
                Expect.Equal(round.ToString(), generic[i](round.ToString()));
                Expect.Equal(i + round, values[i]());
                Target target = (Target)closed[i].Target!;
                Expect.That(closed[i] == target.Call && closed[i].GetHashCode() == new Func<int, int>(target.Call).GetHashCode(), "equality of delegates");
                Expect.Equal(i + 3 + i % 2, open(target, 3));
            }
            Delegate[] list = all.GetInvocationList();
            Expect.Equal(21, list.Length);
            Expect.Equal(2 * round, all(round));
            Expect.Equal(19 + round + 1, (int)list[19].DynamicInvoke(round)!);
        }
        Func<int, int> without = (all - closed[3])!;
        Heap.Full();
        output.WriteLine(without.GetInvocationList().Length);
    }
}
