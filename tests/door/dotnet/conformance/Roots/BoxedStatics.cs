// Static fields of struct type: the runtime keeps them in boxes, whose addresses compiled code may have built in.
// Rule: a ref to such a static stays good; references inside it are roots.
// The box may be frozen or pinned; a young object stored in it is an old-to-young reference from outside the ordinary heap.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("roots-boxed-statics", "static structs with and without references keep their value and address over collections")]
internal static class BoxedStatics
{
    private struct Plain { public long A, B, C; }
    private struct Mixed { public object? A; public Guid B; public string? C; public int[]? D; }

    private static Plain s_plain;
    private static Mixed s_mixed;
    private static readonly Guid s_guid = new("00112233-4455-6677-8899-aabbccddeeff");
    private static Mixed? s_nullable;
    private static class Generic<T> { public static Mixed Value; public static T? Bare; }

    public static void Run(TextWriter output)
    {
        ref Plain plain = ref s_plain;
        ref Mixed mixed = ref s_mixed;
        ref Mixed generic = ref Generic<string>.Value;
        for (int n = 0; n < 40; n++)
        {
            s_plain.B = n;
            mixed = new Mixed { A = new int[] { n }, B = s_guid, C = n.ToString(), D = [n] };
            generic.C = (-n).ToString();
            s_nullable = n % 2 == 0 ? null : mixed;
            Generic<Mixed>.Bare = mixed;
            Generic<int>.Value.D = [n, n];
            Heap.Churn(16);
            if (n % 3 == 0)
                Heap.Turn();
            else
                Heap.Young();
            Expect.That(Unsafe.AreSame(ref plain, ref s_plain) && Unsafe.AreSame(ref mixed, ref s_mixed), "refs to statics stay good");
            Expect.That(plain.B == n && ((int[])s_mixed.A!)[0] == n && s_mixed.B == s_guid && s_mixed.C == n.ToString() && s_mixed.D![0] == n, $"struct {n}");
            Expect.That(Generic<string>.Value.C == (-n).ToString() && Generic<int>.Value.D![1] == n && Generic<Mixed>.Bare.D == s_mixed.D, $"generic {n}");
            Expect.That(n % 2 == 0 ? s_nullable == null : s_nullable!.Value.A == s_mixed.A, $"nullable {n}");
        }
        output.WriteLine(s_guid);
    }
}
