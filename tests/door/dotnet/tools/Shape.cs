// The program whose heap is dumped: a graph of a known shape, held by statics, handles and dependent handles.
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Tools.Shapes;

internal sealed class Top { public Branch[]? Branches; public Link? First; public Leaf? Shared; }
internal sealed class Branch { public Leaf? Left, Right; public Top? Back; public int Number; }
internal class Leaf { public long A; }
internal sealed class Link { public Link? Next; public Leaf? Leaf; }
internal sealed class Key { public int Number; }
internal sealed class Value { public Key? Back; public Leaf? Leaf; }
internal sealed class Dead { public Leaf? Leaf; }
internal sealed class Held { public Leaf? Leaf; }
internal sealed class Fixed { public int A, B, C; }
internal struct Pair { public Leaf? Leaf; public int Number; public Link? Link; }
internal sealed class Finalized { public Leaf? Leaf; ~Finalized() => GC.KeepAlive(Leaf); }
internal sealed class Waiting { public object? A, B; }

internal static class Maker
{
    public const int Branches = 1000, Links = 500, Keys = 50, Helds = 20, Finalizeds = 30, Pairs = 200;

    public static Top? Root;
    public static Pair[]? Rows;
    private static readonly List<object> s_keep = [];
    private static readonly ConditionalWeakTable<Key, Value> s_table = [];
    private static readonly List<GCHandle> s_handles = [];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Make()
    {
        Root = new Top { Branches = new Branch[Branches], Shared = new Leaf() };
        for (int i = 0; i < Branches; i++)
            Root.Branches[i] = new Branch { Left = new Leaf(), Right = Root.Shared, Back = Root, Number = i };
        for (int i = 0; i < Links; i++)
            Root.First = new Link { Next = Root.First, Leaf = i % 2 == 0 ? Root.Shared : null };
        Rows = new Pair[Pairs];
        for (int i = 0; i < Pairs; i++)
            Rows[i] = new Pair { Leaf = new Leaf(), Number = i, Link = Root.First };
        for (int i = 0; i < Keys; i++)
        {
            Key key = new() { Number = i };
            s_keep.Add(key);
            s_table.Add(key, new Value { Back = key, Leaf = new Leaf() });
        }
        for (int i = 0; i < Helds; i++)
        {
            s_handles.Add(GCHandle.Alloc(new Held { Leaf = Root.Shared }));
            s_handles.Add(GCHandle.Alloc(new Dead { Leaf = new Leaf() }, GCHandleType.Weak));
        }
        s_handles.Add(GCHandle.Alloc(new Fixed(), GCHandleType.Pinned));
        s_handles.Add(GCHandle.Alloc(new Waiting(), GCHandleType.WeakTrackResurrection));
        for (int i = 0; i < Finalizeds; i++)
            s_keep.Add(new Finalized { Leaf = Root.Shared });
        s_keep.Add(new Leaf[20_000]); // large
        s_keep.Add(new Top[3, 4]);
    }
}
