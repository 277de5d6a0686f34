// actors: many actors that send each other messages through channels.
//
// It stresses hand-over between threads: every message is made by one thread and dies on another, mailboxes grow and shrink in segments, waiting
// continuations are objects too, and the state of an old actor is replaced by a young record with every message.
//
// One operation is one message; its time is from sending to handling, so it is that of the queue before it. A fixed number of parcels goes from
// actor to actor a fixed number of times, where to is in the parcel, and each is answered with a receipt. What actors add up does not
// depend on the order in which messages come.

using System.Runtime.ExceptionServices;
using System.Threading.Channels;

namespace Garner.Bench;

internal sealed class Actors : Workload
{
    public override string Name => "actors";

    public override string Stresses => "messages made by one thread that die on another, channels that grow and shrink, young records in old tables";

    public override Parameter[] Parameters =>
    [
        new("actors", 1000, 2, 100_000, "actors"),
        new("parcels", 20_000, 1, 10_000_000, "parcels under way at a time"),
        new("hops", 100, 0, 1_000_000, "times each goes on to another actor"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int parcels = parameters.Int("parcels"), hops = parameters.Int("hops");
        long messages = parcels * (2L * hops + 1);
        using Office office = new(parameters.Int("actors"), messages);
        Prng prng = new(parameters.Seed);
        for (int i = 0; i < parcels; i++) office.Send(-1, prng.Next(), hops);
        office.Run(parameters.Threads);

        Digest digest = default;
        office.Verify(parcels, hops, ref digest);
        return new Outcome(messages, office.Latencies, digest.Value);
    }

    private abstract record Message(ulong Id, int From, long SentAt);

    // The contents are what the number prescribes.
    private sealed record Parcel(ulong Id, int From, long SentAt, int Hops, byte[] Contents) : Message(Id, From, SentAt);

    private sealed record Receipt(ulong Id, int From, long SentAt) : Message(Id, From, SentAt);

    // What an actor has had from one other.
    private sealed record Tally(long Parcels, long Receipts, ulong Sum)
    {
        public static readonly Tally None = new(0, 0, 0);
    }

    private sealed class Office : IDisposable
    {
        private readonly Actor[] actors;
        private readonly ThreadLocal<Latencies> latencies = new(() => new Latencies(), trackAllValues: true);
        private readonly ManualResetEventSlim ended = new();
        private long left;
        private volatile Exception? failure;

        public Office(int count, long messages)
        {
            left = messages;
            actors = new Actor[count];
            for (int i = 0; i < count; i++) actors[i] = new Actor(this, i);
        }

        public Latencies Latencies => Latencies.Merged(latencies.Values);

        // Where a parcel goes next follows from the parcel alone.
        public int Send(int from, ulong id, int hops)
        {
            int to = (int)(Prng.Mix(id + (ulong)hops) % (ulong)actors.Length);
            byte[] contents = new byte[16 + (int)(id % 48)];
            contents[0] = contents[^1] = (byte)id;
            actors[to].Receive(new Parcel(id, from, Bench.Latencies.Now(), hops, contents));
            return to;
        }

        public void Acknowledge(int to, ulong id, int from) => actors[to].Receive(new Receipt(id, from, Bench.Latencies.Now()));

        public void Handled(Message message)
        {
            latencies.Value!.Since(message.SentAt);
            if (Interlocked.Decrement(ref left) == 0) ended.Set();
        }

        // Nothing is allocated here: it may be that memory has run out.
        public void Fail(Exception e)
        {
            failure = e;
            ended.Set();
        }

        public void Run(int threads)
        {
            InParallel.Prepare(threads);
            TaskScheduler scheduler = new ConcurrentExclusiveSchedulerPair(TaskScheduler.Default, threads).ConcurrentScheduler;
            Task[] tasks = Array.ConvertAll(actors, actor => Task.Factory.StartNew(actor.Run, CancellationToken.None, TaskCreationOptions.None, scheduler).Unwrap());
            ended.Wait();
            if (failure is { } e) ExceptionDispatchInfo.Throw(e);
            foreach (Actor actor in actors) actor.Close();
            Task.WaitAll(tasks);
            if (failure is { } late) ExceptionDispatchInfo.Throw(late);
        }

        public void Verify(long parcels, long hops, ref Digest digest)
        {
            foreach (Actor actor in actors) digest.Add(actor.Verify());
            Check.That(actors.Sum(actor => actor.Parcels) == parcels * (hops + 1), "parcels are lost, or there are too many");
        }

        public void Dispose()
        {
            latencies.Dispose();
            ended.Dispose();
        }
    }

    private sealed class Actor(Office office, int number)
    {
        private readonly Channel<Message> mailbox = Channel.CreateUnbounded<Message>(new UnboundedChannelOptions { SingleReader = true });
        private readonly Dictionary<int, Tally> tallies = [];
        private readonly Dictionary<int, long> sent = [];

        public long Parcels { get; private set; }

        public void Receive(Message message) => Check.That(mailbox.Writer.TryWrite(message), "a mailbox is closed too early");

        public void Close() => mailbox.Writer.Complete();

        public async Task Run()
        {
            try
            {
                while (await mailbox.Reader.WaitToReadAsync())
                {
                    while (mailbox.Reader.TryRead(out Message? message)) Handle(message);
                }
            }
            catch (Exception e)
            {
                office.Fail(e);
            }
        }

        private void Handle(Message message)
        {
            Tally tally = tallies.GetValueOrDefault(message.From, Tally.None);
            if (message is Parcel parcel)
            {
                Check.That(parcel.Contents.Length == 16 + (int)(parcel.Id % 48) && parcel.Contents[0] == (byte)parcel.Id && parcel.Contents[^1] == (byte)parcel.Id, "a parcel is damaged");
                tallies[parcel.From] = tally with { Parcels = tally.Parcels + 1, Sum = tally.Sum + Prng.Mix(parcel.Id ^ (ulong)parcel.Hops) };
                Parcels++;
                if (parcel.From >= 0) office.Acknowledge(parcel.From, parcel.Id, number);
                if (parcel.Hops > 0)
                {
                    int to = office.Send(number, parcel.Id, parcel.Hops - 1);
                    sent[to] = sent.GetValueOrDefault(to) + 1;
                }
            }
            else
            {
                tallies[message.From] = tally with { Receipts = tally.Receipts + 1, Sum = tally.Sum + 3 * Prng.Mix(message.Id) };
            }
            office.Handled(message);
        }

        // Every parcel sent on must have been acknowledged by the one it was sent to.
        public ulong Verify()
        {
            Digest d = default;
            foreach ((int to, long count) in sent) Check.That(tallies.TryGetValue(to, out Tally? tally) && tally.Receipts == count, "a receipt is lost, or there are too many");
            foreach ((int from, Tally tally) in tallies) d.AddUnordered((ulong)(from + 1) + 3 * (ulong)tally.Parcels + 5 * (ulong)tally.Receipts + tally.Sum);
            return d.Value;
        }
    }
}
