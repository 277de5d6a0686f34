// Edges of an R-MAT graph (Chakrabarti, Zhan and Faloutsos): every edge falls through `scale` levels of a matrix cut in four, into the quarters with
// 57, 19, 19 and 5 %. Few nodes get very many edges, many get none, as in networks of people and pages. Plain numbers; workloads make objects of them.

namespace Garner.Bench;

internal static class RMat
{
    public static (int From, int To)[] Edges(int scale, int count, ulong seed)
    {
        Prng prng = new(seed, 0x524d4154);
        (int From, int To)[] edges = new (int, int)[count];
        for (int i = 0; i < count; i++)
        {
            int from = 0, to = 0;
            for (int level = 0; level < scale; level++)
            {
                int draw = prng.Below(100);
                from = from * 2 + (draw >= 76 ? 1 : 0);
                to = to * 2 + (draw is (>= 57 and < 76) or >= 95 ? 1 : 0);
            }
            edges[i] = (from, to);
        }
        return edges;
    }

    // The numbers of the nodes each node leads to, in the order of the edges.
    public static int[][] Links(int nodes, (int From, int To)[] edges)
    {
        int[] counts = new int[nodes];
        foreach ((int from, _) in edges) counts[from]++;
        int[][] links = new int[nodes][];
        for (int i = 0; i < nodes; i++) links[i] = new int[counts[i]];
        foreach ((int from, int to) in edges) links[from][^counts[from]--] = to;
        return links;
    }
}
