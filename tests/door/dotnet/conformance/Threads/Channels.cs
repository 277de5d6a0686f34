// Channels, tasks and async streams between producers and consumers, bounded and unbounded, with cancellation.
// Rule: what was written is read once, in order per writer.
// Nearly every object dies within one hop between threads; continuations link young objects into old queues.

using System.Threading.Channels;

namespace Garner.Conformance;

[Behaviour("thread-channels", "channels and task chains hand objects from thread to thread over collections without loss")]
internal static class Channels
{
    private sealed record Message(int Producer, int Number, string Text);

    public static void Run(TextWriter output)
    {
        const int Producers = 4;
        int each = Work.Scaled(5000, 300);
        Channel<Message> first = Channel.CreateBounded<Message>(64);
        Channel<Message> second = Channel.CreateUnbounded<Message>(new UnboundedChannelOptions { SingleReader = true });
        Task[] producers = [.. Enumerable.Range(0, Producers).Select(p => Task.Run(async () =>
        {
            for (int i = 0; i < each; i++)
            {
                await first.Writer.WriteAsync(new Message(p, i, $"{p}:{i}"));
                if (i % 1000 == 0)
                    Heap.Turn();
            }
        }))];
        Task[] relays = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(async () =>
        {
            await foreach (Message message in first.Reader.ReadAllAsync())
                await second.Writer.WriteAsync(message with { Text = message.Text + "." });
        }))];
        Task<int> sink = Task.Run(async () =>
        {
            bool[][] seen = [.. Enumerable.Range(0, Producers).Select(_ => new bool[each])];
            int count = 0;
            await foreach (Message message in second.Reader.ReadAllAsync())
            {
                if (message.Text != $"{message.Producer}:{message.Number}." || seen[message.Producer][message.Number])
                    Expect.That(false, $"message {message.Producer}:{message.Number}");
                seen[message.Producer][message.Number] = true;
                if (++count % 2000 == 0)
                    Heap.Young();
            }
            return count;
        });
        Task.WaitAll(producers);
        first.Writer.Complete();
        Task.WaitAll(relays);
        second.Writer.Complete();
        Expect.Equal(Producers * each, sink.Result);

        Task<long> chain = Task.FromResult(0L);
        for (int i = 1; i <= 3000; i++)
        {
            int[] captured = [i];
            chain = chain.ContinueWith(t => t.Result + captured[0], TaskScheduler.Default);
        }
        Heap.Full();
        output.WriteLine($"{sink.Result} messages, chain {chain.Result}");
    }
}
