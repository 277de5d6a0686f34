// Static fields: references, structs with references, arrays, read-only, volatile, in nested and lazily initialised classes.
// Rule: statics are roots; reference statics live in arrays on the pinned heap, which the runtime also knows by address.
// They are old from the start, hold young objects, and JIT-compiled code has their addresses built in.

namespace Garner.Conformance;

[Behaviour("roots-statics", "static fields of all kinds keep what they refer to, also when set anew between collections")]
internal static class Statics
{
    private static object? s_object;
    private static volatile string? s_volatile;
    private static int[]? s_array;
    private static (object A, long B, string C) s_struct;
    private static decimal s_decimal;
    private static DateTimeOffset s_date;
    private static readonly List<string> s_readonly = [];
    private static Action<int>? s_action;
    private static event Action<int>? Event;

    private static class Lazy
    {
        static Lazy() => Heap.Turn();
        public static readonly Dictionary<string, object> Table = new() { ["one"] = new int[] { 1 }, ["two"] = "zwei" };
        public static object? Later;
    }

    public static void Run(TextWriter output)
    {
        int heard = 0;
        Event += n => heard += n;
        for (int n = 1; n <= 40; n++)
        {
            s_object = new int[] { n };
            s_volatile = n.ToString();
            s_array = [n, n + 1];
            s_struct = (new int[] { n }, n, n.ToString());
            s_decimal = n / 3m;
            s_date = DateTimeOffset.UnixEpoch.AddDays(n);
            s_readonly.Add(n.ToString());
            int captured = n;
            s_action = m => heard += captured + m;
            Lazy.Later = new object[] { s_object };
            Heap.Churn(32);
            if (n % 2 == 0)
                Heap.Young();
            else
                Heap.Turn();
            Expect.That(((int[])s_object)[0] == n && s_volatile == n.ToString() && s_array[1] == n + 1, $"references {n}");
            Expect.That(((int[])s_struct.A)[0] == n && s_struct.B == n && s_struct.C == n.ToString(), $"struct {n}");
            Expect.That(s_decimal == n / 3m && s_date == DateTimeOffset.UnixEpoch.AddDays(n), $"boxed statics {n}");
            Expect.That(s_readonly.Count == n && s_readonly[n / 2] == (n / 2 + 1).ToString(), $"read-only {n}");
            Expect.Same(s_object, ((object[])Lazy.Later)[0]);
            s_action(1);
            Event?.Invoke(1);
        }
        Expect.Equal(40 * 41 / 2 + 40 + 40, heard);
        Expect.That(((int[])Lazy.Table["one"])[0] == 1 && (string)Lazy.Table["two"] == "zwei", "lazily made statics");
        output.WriteLine($"heard {heard}");
    }
}
