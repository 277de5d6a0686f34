// Threads blocked in native waits (sleep, pipe read, semaphore, join, socket-like waits) with references in their frames over many collections.
// Rule: a thread in native code does not delay a collection; on return it waits for the end of one.
// Its frames are scanned while it may be on its way back; transition frames mark where the managed part ends.

using System.IO.Pipes;

namespace Garner.Conformance;

[Behaviour("thread-blocked", "threads blocked in native waits keep their locals over collections and come back safely")]
internal static class BlockedThreads
{
    public static void Run(TextWriter output)
    {
        using SemaphoreSlim gate = new(0);
        using AnonymousPipeServerStream pipe = new(PipeDirection.Out);
        using AnonymousPipeClientStream reader = new(PipeDirection.In, pipe.ClientSafePipeHandle);
        using ManualResetEvent signal = new(false);
        using Barrier ready = new(6);
        int[] results = new int[5];
        Thread main = new(() => Crew.Run(5, number =>
        {
            List<int[]> local = [];
            for (int i = 0; i < 100; i++)
                local.Add([i, number]);
            byte[] buffer = new byte[10];
            ready.SignalAndWait();
            switch (number)
            {
                case 0: gate.Wait(); break;
                case 1: Expect.Equal(1, reader.Read(buffer, 0, 1)); break;
                case 2: signal.WaitOne(); break;
                case 3: while (!signal.WaitOne(0)) Thread.Sleep(1); break;
                default: while (!signal.WaitOne(1)) Thread.SpinWait(100); break;
            }
            int sum = 0;
            for (int i = 0; i < 100; i++)
                sum += local[i][0] * (local[i][1] == number ? 1 : -1);
            results[number] = sum + buffer[0];
        }));
        main.Start();
        ready.SignalAndWait();
        for (int i = 0; i < 20; i++)
        {
            Heap.Churn(128);
            Heap.Turn();
        }
        gate.Release();
        pipe.WriteByte(7);
        signal.Set();
        main.Join();
        output.WriteLine(string.Join(' ', results));
    }
}
