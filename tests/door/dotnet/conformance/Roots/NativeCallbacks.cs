// Native code calls back into managed code (qsort, bsearch with managed comparers), which allocates, collects and throws inside.
// Rule: frames on both sides of the native code are walked; native frames hold only pinned addresses and handles.
// The thread is in preemptive mode inside the native function: it may be suspended there while others collect.

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Garner.Conformance;

[Behaviour("roots-native-callbacks", "managed callbacks from native code (qsort) allocate and collect with roots on both sides")]
internal static unsafe partial class NativeCallbacks
{
    [LibraryImport("libc", EntryPoint = "qsort")]
    private static partial void Sort(int* items, nuint count, nuint size, delegate* unmanaged[Cdecl]<int*, int*, int> compare);

    [LibraryImport("libc", EntryPoint = "qsort")]
    private static partial void SortBy(int* items, nuint count, nuint size, nint compare);

    private static int s_calls;

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Compare(int* a, int* b)
    {
        string x = (*a).ToString("D10"), y = (*b).ToString("D10");
        if (++s_calls % 200 == 0)
            Heap.Turn();
        return string.CompareOrdinal(x, y);
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Comparer(int* a, int* b);

    public static void Run(TextWriter output)
    {
        s_calls = 0;
        int length = Work.Scaled(3000, 300);
        int[] numbers = new int[length];
        Dice dice = new(4);
        for (int i = 0; i < length; i++)
            numbers[i] = dice.Below(1_000_000);
        int[] sorted = [.. numbers];
        Array.Sort(sorted);
        object before = new int[] { 5 };
        fixed (int* p = numbers)
            Sort(p, (nuint)length, sizeof(int), &Compare);
        Expect.That(numbers.AsSpan().SequenceEqual(sorted) && ((int[])before)[0] == 5, "sorted by an unmanaged-callers-only method");

        // The same through delegates of closures that only the marshalled function pointer keeps alive together with KeepAlive.
        for (int round = 0; round < 5; round++)
        {
            List<string> garbage = [];
            Comparer down = (a, b) =>
            {
                garbage.Add((*a).ToString());
                if (garbage.Count % 300 == 0)
                    Heap.Young();
                return (*b).CompareTo(*a);
            };
            nint pointer = Marshal.GetFunctionPointerForDelegate(down);
            Heap.Full();
            fixed (int* p = numbers)
                SortBy(p, (nuint)length, sizeof(int), pointer);
            GC.KeepAlive(down);
            Array.Reverse(sorted);
            Expect.That(numbers[0] >= numbers[^1] && garbage.Count > 0, "sorted downwards by a delegate");
            Array.Reverse(sorted);
        }
        // Other threads collect while this one is inside native code, half-way through a sort.
        using CancellationTokenSource stop = new();
        Thread collector = new(() => { while (!stop.IsCancellationRequested) { Heap.Turn(); Thread.Sleep(1); } });
        collector.Start();
        for (int round = 0; round < 4; round++)
            fixed (int* p = numbers)
                Sort(p, (nuint)length, sizeof(int), &Compare);
        stop.Cancel();
        collector.Join();
        Expect.That(numbers.AsSpan().SequenceEqual(sorted), "sorted while another thread collects");
        output.WriteLine($"{numbers[0] <= numbers[^1]}");
    }
}
