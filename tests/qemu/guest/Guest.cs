// A .NET program for the guest of tests/qemu/dotnet.sh: threads build, drop and check trees while collections run; then it says which memory
// policies the kernel lists for it and on how many nodes its pages lie. Arguments: the policy that must be there, or "none"; the least number
// of nodes that hold at least 16 pages each of mappings with that policy. Exit code 0: everything was found intact and in place.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

sealed class Tree(int depth, int seed)
{
    readonly Tree? _left = depth > 0 ? new Tree(depth - 1, seed * 2) : null;
    readonly Tree? _right = depth > 0 ? new Tree(depth - 1, seed * 2 + 1) : null;
    readonly int[] _payload = [seed, depth, seed ^ depth];

    public int Check(int expected)
    {
        if (_payload[0] != expected || _payload[2] != (_payload[0] ^ _payload[1])) throw new InvalidOperationException("a tree has changed");
        return 1 + (_left?.Check(expected * 2) ?? 0) + (_right?.Check(expected * 2 + 1) ?? 0);
    }
}

static class Guest
{
    static int _failures;

    static void Work(int number)
    {
        try
        {
            var kept = new Tree[4];
            for (int i = 0; i < 16; i++)
            {
                kept[i % 4] = new Tree(8, number + 3);
                if (i >= 4 && kept[(i + 1) % 4].Check(number + 3) != 511) Interlocked.Increment(ref _failures);
            }
        }
        catch (Exception e)
        {
            Console.WriteLine(e.Message);
            Interlocked.Increment(ref _failures);
        }
    }

    // "none" looks for any policy at all.
    static bool Wanted(string policy, string asked) => asked == "none"
        ? policy.StartsWith("prefer:", StringComparison.Ordinal) || policy.StartsWith("interleave:", StringComparison.Ordinal)
        : policy.StartsWith(asked, StringComparison.Ordinal);

    static int Main(string[] args)
    {
        var threads = new List<Thread>();
        for (int i = 0; i < 8; i++)
        {
            int number = i;
            threads.Add(new Thread(() => Work(number)));
        }
        foreach (Thread thread in threads) thread.Start();
        for (int i = 0; i < 3; i++) GC.Collect(i % 3);
        foreach (Thread thread in threads) thread.Join();
        GC.Collect();

        int mappings = 0;
        var pages = new long[64];
        foreach (string line in File.ReadAllLines("/proc/self/numa_maps"))
        {
            string[] words = line.Split(' ');
            if (words.Length < 2 || !Wanted(words[1], args[0])) continue;
            mappings++;
            foreach (string word in words)
                if (word.Length > 3 && word[0] == 'N' && char.IsAsciiDigit(word[1]) && word.Split('=') is [var node, var count])
                    pages[int.Parse(node.AsSpan(1))] += long.Parse(count);
        }
        int nodes = 0;
        foreach (long n in pages) nodes += n >= 16 ? 1 : 0;
        Console.WriteLine($"{mappings} mappings with {args[0]}, pages {string.Join(' ', pages[..8])}, collections {GC.CollectionCount(0)} {GC.CollectionCount(2)}, {_failures} failures");
        return _failures == 0 && (args[0] == "none" ? mappings == 0 : mappings > 0 && nodes >= int.Parse(args[1])) ? 0 : 1;
    }
}
