// request-server: sessions in memory and requests that arrive when a schedule says so, whether or not those before them have been answered.
//
// It stresses what a service with a large heap is judged by: the tail of its latency. A request is a little garbage, a look at some old sessions and a store of
// something young into one of them; now and then a session is replaced, and the old one dies old. How long a full collection stops the program grows with the
// sessions, how long a young one does should not.
//
// One operation is one request. Its latency counts from the time the schedule has for it to its answer, so a pause is counted in every request that it kept waiting and
// not only in the one that it caught (no coordinated omission). Arrivals are Poisson's. A thread serves the requests of its lanes; before the schedule begins all
// sessions are made and `warmup` requests are served as fast as can be, which are not counted. At the end every session is compared with what its number and its
// version prescribe.

using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Garner.Bench;

internal sealed class RequestServer : Workload
{
    // What a session takes, about; the heap's size is only to be near what `megabytes` says.
    private const int SessionBytes = 1640;

    public override string Name => "request-server";

    public override string Stresses => "tail latency under an open load beside a large live set of sessions that die old";

    public override Parameter[] Parameters =>
    [
        new("megabytes", 1000, 1, 100_000, "sessions held, about"),
        new("rate", 8000, 1, 1_000_000, "requests a second, all threads together"),
        new("requests", 160_000, 1, 1_000_000_000, "requests that are timed"),
        new("warmup", 40_000, 0, 1_000_000_000, "requests before those"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int threads = parameters.Threads, perLane = (int)Math.Max(1, parameters.Long("megabytes") * 1_000_000 / SessionBytes / LaneCount);
        long warmup = parameters.Long("warmup"), requests = parameters.Long("requests");
        double gapTicks = Stopwatch.Frequency / (double)parameters.Int("rate");
        Shard[] shards = new Shard[LaneCount];
        using Barrier ready = new(threads);
        long[] begin = new long[1];
        Latencies latencies = Latencies.Merged(Crew.Run(threads, t =>
        {
            foreach (int lane in LanesOf(t, threads)) shards[lane] = new Shard(parameters.Seed, lane, perLane);
            Latencies mine = new();
            Prng arrivals = new(parameters.Seed, LaneCount);
            for (long i = 0; i < warmup; i++) Serve(i);
            ready.SignalAndWait();
            if (t == 0) begin[0] = Latencies.Now() + Stopwatch.Frequency / 100;
            ready.SignalAndWait();
            double at = begin[0];
            for (long i = warmup; i < warmup + requests; i++)
            {
                at -= Math.Log(1 - arrivals.Unit()) * gapTicks; // every thread draws the whole schedule
                long due = (long)at;
                if (LaneOf(i) % threads != t) continue;
                for (long left = due - Latencies.Now(); left > 0; left = due - Latencies.Now()) Sleep(left);
                Serve(i);
                mine.Since(due);
            }
            return mine;

            void Serve(long i)
            {
                if (LaneOf(i) % threads == t) shards[LaneOf(i)].Serve(i);
            }
        }));
        Digest digest = default;
        foreach (Shard shard in shards) digest.Add(shard.Verify());
        string figures = string.Create(CultureInfo.InvariantCulture, $"\"late_us\":{{\"p99\":{latencies.PercentileMicroseconds(99):F1},\"p99.9\":{latencies.PercentileMicroseconds(99.9):F1},\"p99.99\":{latencies.PercentileMicroseconds(99.99):F1}}}");
        return new Outcome(requests, latencies, digest.Value, figures);
    }

    private static int LaneOf(long request) => (int)(Prng.Mix((ulong)request) % LaneCount);

    private sealed class Item(string name, long price)
    {
        public readonly string Name = name;
        public readonly long Price = price;
    }

    private sealed class Session
    {
        public required string Key;
        public required int Version;
        public required Item[] Items;
        public required byte[] State;
        public long Hits;
    }

    private sealed class Shard
    {
        private const int ItemCount = 8;
        private readonly Session[] sessions;
        private readonly int lane;
        private readonly ulong seed;
        private Digest answers;

        public Shard(ulong seed, int lane, int count)
        {
            this.seed = seed;
            this.lane = lane;
            sessions = new Session[count];
            for (int i = 0; i < count; i++) sessions[i] = Made(i, 0);
        }

        public void Serve(long number)
        {
            Prng prng = new(seed + 1, (ulong)number);
            int mine = prng.Below(sessions.Length);
            string line = string.Create(CultureInfo.InvariantCulture, $"GET /session/{mine}/items?page={prng.Below(10)}&with={prng.Below(sessions.Length)},{prng.Below(sessions.Length)} HTTP/1.1");
            Dictionary<string, string> headers = new(StringComparer.OrdinalIgnoreCase);
            for (int h = 0; h < 8; h++) headers[$"x-header-{h}"] = string.Create(CultureInfo.InvariantCulture, $"{lane}-{number}-{h}");
            StringBuilder answer = new();
            string[] others = line.Split('=', ' ')[^2].Split(',');
            Append(answer, sessions[mine]);
            foreach (string other in others) Append(answer, sessions[int.Parse(other, CultureInfo.InvariantCulture)]);
            foreach (KeyValuePair<string, string> header in headers) answer.Append(header.Key).Append(": ").Append(header.Value).Append("\r\n");
            byte[] sent = Encoding.UTF8.GetBytes(answer.ToString());
            answers.AddUnordered(Digest.Of(sent));
            Session session = sessions[mine];
            session.Hits++;
            if (prng.OneIn(20)) sessions[mine] = Made(mine, session.Version + 1);
            else session.Items[prng.Below(ItemCount)] = MadeItem(mine, session.Version, prng.Below(1000));
        }

        private static void Append(StringBuilder answer, Session session)
        {
            answer.Append(session.Key);
            foreach (Item item in session.Items) answer.Append(',').Append(item.Name).Append('=').Append(item.Price);
            answer.Append(';').Append(session.State.Length).Append("\r\n");
        }

        private Session Made(int number, int version)
        {
            Prng prng = Of(number, version);
            Item[] items = new Item[ItemCount];
            for (int i = 0; i < ItemCount; i++) items[i] = MadeItem(number, version, prng.Below(1000));
            byte[] state = new byte[64 + prng.Skewed(1400, 1)];
            state.AsSpan().Fill((byte)(number + version));
            return new Session { Key = KeyOf(number), Version = version, Items = items, State = state };
        }

        private Prng Of(int number, int version) => new(seed + 2, ((ulong)lane << 48) + ((ulong)number << 16) + (ulong)version);

        private string KeyOf(int number) => string.Create(CultureInfo.InvariantCulture, $"session-{lane}-{number:d9}");

        private static Item MadeItem(int number, int version, int which) => new(string.Create(CultureInfo.InvariantCulture, $"item-{number}-{version}"), which * 100L + number % 100);

        public ulong Verify()
        {
            Digest digest = default;
            for (int i = 0; i < sessions.Length; i++)
            {
                Session session = sessions[i];
                Check.That(session.Key == KeyOf(i), "a session has another's key");
                foreach (Item item in session.Items)
                {
                    Check.That(item.Price % 100 == i % 100 && item.Name == string.Create(CultureInfo.InvariantCulture, $"item-{i}-{session.Version}"), "an item is not its session's");
                    digest.Add(item.Price);
                }
                Check.That(!session.State.AsSpan().ContainsAnyExcept((byte)(i + session.Version)), "a session's state has changed");
                digest.Add(session.Version);
                digest.Add(session.Hits);
            }
            digest.Add(answers.Value);
            return digest.Value;
        }
    }

    // Thread.Sleep has a grain of a millisecond, which is longer than a request takes.
    private static void Sleep(long ticks)
    {
        long ns = Math.Min((long)(ticks * (1e9 / Stopwatch.Frequency)), 100_000_000);
        TimeSpec time = new() { Seconds = (nint)(ns / 1_000_000_000), Nanoseconds = (nint)(ns % 1_000_000_000) };
        _ = NanoSleep(ref time, IntPtr.Zero);
    }

    private struct TimeSpec
    {
        public nint Seconds, Nanoseconds;
    }

    [DllImport("libc", EntryPoint = "nanosleep")]
    private static extern int NanoSleep(ref TimeSpec time, IntPtr remaining);
}
