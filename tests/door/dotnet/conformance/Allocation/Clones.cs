// MemberwiseClone of objects and arrays: a clone has the same fields and its own identity, lock and hash.
// Rule: cloning copies the body in bulk (cards are marked for the target), never the header word.
// A clone of an old object is young and refers to young and old; a header copied along would share the sync block.

using System.Runtime.CompilerServices;

namespace Garner.Conformance;

[Behaviour("alloc-memberwise-clone", "MemberwiseClone and Array.Clone copy every field, not the header (hash, lock)")]
internal static class Clones
{
    private sealed class Node
    {
        public int Number;
        public object? Left, Right;
        public string? Text;
        public (object? A, long B, object? C) Tuple;
        public Node Clone() => (Node)MemberwiseClone();
    }

    public static void Run(TextWriter output)
    {
        int count = Work.Scaled(2000, 200);
        Node[] originals = new Node[count];
        Node[] clones = new Node[count];
        int[] hashes = new int[count];
        for (int i = 0; i < count; i++)
        {
            originals[i] = new Node { Number = i, Left = new int[] { i }, Right = i > 0 ? originals[i - 1] : null, Text = i.ToString(), Tuple = (new object(), i, originals) };
            hashes[i] = RuntimeHelpers.GetHashCode(originals[i]);
        }
        Heap.Full();
        Heap.Full();
        int sameHash = 0;
        for (int i = 0; i < count; i++)
        {
            lock (originals[i])
            {
                clones[i] = originals[i].Clone();
                Expect.That(!Monitor.IsEntered(clones[i]), "a clone is not locked");
            }
            if (RuntimeHelpers.GetHashCode(clones[i]) == hashes[i])
                sameHash++;
            originals[i].Left = new int[] { -i };
        }
        Expect.That(sameHash < count / 10 + 2, "clones have hashes of their own");
        for (int round = 0; round < 4; round++)
        {
            Heap.Churn(128);
            Heap.Turn();
            for (int i = 0; i < count; i++)
            {
                Node original = originals[i], clone = clones[i];
                Expect.That(clone != original && clone.Number == i && ((int[])clone.Left!)[0] == i && ((int[])original.Left!)[0] == -i, $"fields of clone {i}");
                Expect.That(ReferenceEquals(clone.Right, original.Right) && ReferenceEquals(clone.Text, original.Text) && clone.Tuple == original.Tuple, $"shared references of clone {i}");
                Expect.That(RuntimeHelpers.GetHashCode(original) == hashes[i], $"hash of original {i}");
            }
        }
        object[] array = [new object(), "text", originals];
        object[] copy = (object[])array.Clone();
        Heap.Full();
        Expect.That(copy[0] == array[0] && copy[1] == array[1] && copy[2] == array[2], "array clone");
        output.WriteLine($"{count} clones");
    }
}
