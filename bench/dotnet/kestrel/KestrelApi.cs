// kestrel: a minimal API on Kestrel and, in the same process, the clients that ask it over loopback at a fixed rate.
//
// It stresses what a service is judged by: the tail of its latency while it allocates short-lived requests, responses and JSON beside a live set of a
// catalogue and of sessions whose contents die old; asynchronous state machines, pooled and pinned network buffers, and many mostly idle threads.
//
// The load is open: when each request starts is drawn before the first one is sent (exponential gaps, from seed and rate) and does not depend on how fast
// answers come. Latency counts from that intended start to the last byte of the answer, so a pause is charged to every request that should have started in
// it, not to the one that happened to be waiting (no coordinated omission). What the sender itself oversleeps, about 60 microseconds, is included.
//
// One operation is one request of the schedule; the warm-up before it (closed, a few requests at a time) is checked but not timed. A session is asked
// about over one connection only, and requests on a connection are answered in order, so every answer is determined by the seed: the checksum is
// over the status and the decoded body of all. At the end the server's sessions are compared with the clients' own books.

using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;

namespace Garner.Bench;

internal sealed class KestrelApi : Workload
{
    // Requests under way during the warm-up.
    private const int WarmupDepth = 16;

    private static volatile bool ranOutOfMemory;

    public override string Name => "kestrel";

    public override string Stresses => "tail latency of a service: short-lived requests beside a catalogue and sessions that die old";

    public override Parameter[] Parameters =>
    [
        new("requests", 20_000, 1, 1_000_000_000, "requests of the schedule"),
        new("rate", 4000, 1, 1_000_000, "requests started per second"),
        new("warmup", 4000, 0, 1_000_000_000, "requests before the schedule, not timed"),
        new("connections", 16, 1, 1000, "connections, each with a thread that reads answers"),
        new("items", 40_000, Catalogue.Categories, 10_000_000, "items in the catalogue"),
        new("sessions", 32_000, 1000, 10_000_000, "sessions, each with its last sixteen cart lines"),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        // An exception on one of the server's threads reaches the client as a broken answer only; remember what it really was.
        AppDomain.CurrentDomain.FirstChanceException += (_, e) =>
        {
            if (e.Exception is OutOfMemoryException) ranOutOfMemory = true;
        };
        try
        {
            return RunOpenLoop(parameters);
        }
        catch (Exception) when (ranOutOfMemory)
        {
            throw new OutOfMemoryException();
        }
    }

    private static Outcome RunOpenLoop(Parameters parameters)
    {
        Catalogue catalogue = new(parameters.Seed, parameters.Int("items"));
        Server server = new(catalogue, parameters.Int("sessions"), parameters.Seed);
        IPEndPoint address = server.Start();

        int warmup = parameters.Int("warmup"), requests = parameters.Int("requests");
        Schedule schedule = new(parameters, catalogue);
        Client[] clients = new Client[parameters.Int("connections")];
        for (int c = 0; c < clients.Length; c++) clients[c] = new Client(address, schedule, c);

        // Thread 0 sends, the others read.
        Crew.Run(clients.Length + 1, t =>
        {
            if (t > 0) clients[t - 1].ReadAll();
            else SendAll(schedule, clients, warmup, requests);
        });

        Latencies latencies = Latencies.Merged(clients.Select(client => client.Latencies));
        Digest digest = default;
        foreach (Client client in clients)
        {
            digest.Add(client.Digest.Value);
            client.Close();
        }
        digest.Add(server.Verify(schedule));
        server.Stop();
        return new Outcome(requests, latencies, digest.Value);
    }

    private static void SendAll(Schedule schedule, Client[] clients, int warmup, int requests)
    {
        ArrayWriter request = new();
        for (int i = 0; i < warmup; i++)
        {
            while (i - clients.Sum(c => c.Answered) >= WarmupDepth) Sleep(50_000);
            schedule.Write(i, request);
            clients[schedule.ConnectionOf(i)].Send(request);
        }
        while (clients.Sum(c => c.Answered) < warmup) Sleep(50_000);

        // From here on nothing waits for an answer.
        schedule.Begin(Latencies.Now() + System.Diagnostics.Stopwatch.Frequency / 100);
        for (int i = warmup; i < warmup + requests; i++)
        {
            long start = schedule.StartOf(i);
            schedule.Write(i, request);
            for (long left = start - Latencies.Now(); left > 0; left = start - Latencies.Now()) Sleep(Math.Min(left, 100_000_000));
            clients[schedule.ConnectionOf(i)].Send(request);
        }
    }

    // Thread.Sleep has a grain of a millisecond, which is longer than a request takes.
    private static void Sleep(long ns)
    {
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

// What is asked and when, all of it from the seed. Requests before `warmup` have no start time.
internal sealed class Schedule
{
    private enum Kind : byte { Item, Search, AddToCart, ShowCart, Recommend }

    private readonly struct Request(Kind kind, ushort connection, int a, int b)
    {
        public readonly Kind Kind = kind;
        public readonly ushort Connection = connection;
        public readonly int A = a, B = b;
    }

    private readonly Request[] requests;
    private readonly long[] starts;
    private readonly int warmup;
    private readonly int[][] byConnection;

    // The clients' own books: what each session must hold at the end.
    public int[] CartAdditions { get; }
    public long[] CartQuantities { get; }

    public Schedule(Parameters parameters, Catalogue catalogue)
    {
        warmup = parameters.Int("warmup");
        int connections = parameters.Int("connections"), sessions = parameters.Int("sessions"), count = checked(warmup + parameters.Int("requests"));
        Prng prng = new(parameters.Seed, 1);
        requests = new Request[count];
        starts = new long[count - warmup];
        CartAdditions = new int[sessions];
        CartQuantities = new long[sessions];
        int[] lengths = new int[connections];
        for (int i = 0; i < count; i++)
        {
            int connection = prng.Below(connections);
            // Sessions connection, connection + connections, … are this connection's.
            int session = connection + connections * prng.Below((sessions - connection - 1) / connections + 1);
            int draw = prng.Below(100);
            requests[i] = draw switch
            {
                < 45 => new Request(Kind.Item, (ushort)connection, prng.Skewed(catalogue.Count, 2), 0),
                < 55 => new Request(Kind.Search, (ushort)connection, prng.Below(Catalogue.Categories), prng.Between(500, 20_000)),
                < 80 => new Request(Kind.AddToCart, (ushort)connection, session, prng.Below(catalogue.Count)),
                < 92 => new Request(Kind.ShowCart, (ushort)connection, session, 0),
                _ => new Request(Kind.Recommend, (ushort)connection, session, 0),
            };
            lengths[connection]++;
            if (requests[i].Kind == Kind.AddToCart)
            {
                CartAdditions[session]++;
                CartQuantities[session] += QuantityOf(i);
            }
        }
        byConnection = [.. lengths.Select(n => new int[n])];
        Array.Clear(lengths);
        for (int i = 0; i < count; i++)
        {
            int connection = requests[i].Connection;
            byConnection[connection][lengths[connection]++] = i;
        }
        double at = 0, gap = System.Diagnostics.Stopwatch.Frequency / (double)parameters.Int("rate");
        for (int i = 0; i < starts.Length; i++)
        {
            at -= gap * Math.Log(1 - prng.Unit());
            starts[i] = (long)at;
        }
    }

    public void Begin(long now)
    {
        for (int i = 0; i < starts.Length; i++) starts[i] += now;
    }

    public int ConnectionOf(int i) => requests[i].Connection;

    // In ticks of Latencies.Now.
    public long StartOf(int i) => starts[i - warmup];

    public bool IsTimed(int i) => i >= warmup;

    // The requests of a connection in the order they are sent, which is the order of the answers.
    public int[] Of(int connection) => byConnection[connection];

    public static int QuantityOf(int i) => 1 + i % 7;

    public void Write(int i, ArrayWriter to)
    {
        Request r = requests[i];
        to.Clear();
        switch (r.Kind)
        {
            case Kind.Item:
                to.Append($"GET /item/{r.A} HTTP/1.1\r\nHost: bench\r\n\r\n");
                break;
            case Kind.Search:
                to.Append($"GET /search?category={r.A}&below={r.B} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n\r\n");
                break;
            case Kind.ShowCart:
                to.Append($"GET /session/{r.A} HTTP/1.1\r\nHost: bench\r\n\r\n");
                break;
            case Kind.Recommend:
                to.Append($"GET /session/{r.A}/recommended HTTP/1.1\r\nHost: bench\r\n\r\n");
                break;
            default:
                string body = $"{{\"item\":{r.B},\"quantity\":{QuantityOf(i)},\"note\":\"request {i} {new string('n', i % 101)}\"}}";
                to.Append($"POST /session/{r.A} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {body.Length}\r\n\r\n{body}");
                break;
        }
    }
}

// A byte buffer that is written again and again; requests are plain ASCII.
internal sealed class ArrayWriter
{
    private byte[] bytes = new byte[1024];
    private int length;

    public ReadOnlySpan<byte> Written => bytes.AsSpan(0, length);

    public void Clear() => length = 0;

    public void Append(string text)
    {
        Reserve(text.Length);
        length += Encoding.ASCII.GetBytes(text, bytes.AsSpan(length));
    }

    public void Append(ReadOnlySpan<byte> more)
    {
        Reserve(more.Length);
        more.CopyTo(bytes.AsSpan(length));
        length += more.Length;
    }

    private void Reserve(int more)
    {
        if (length + more > bytes.Length) Array.Resize(ref bytes, Math.Max(bytes.Length * 2, length + more));
    }
}

// One connection. The sending thread calls Send; a thread of its own runs ReadAll. Requests are sent whether or not earlier ones have been answered
// (HTTP/1.1 pipelining), or else the connection would be a closed loop.
internal sealed class Client
{
    // An answer that takes longer than this will not come.
    private const int TimeoutMs = 120_000;

    private readonly Socket socket;
    private readonly Schedule schedule;
    private readonly int[] requests;
    private readonly byte[] buffer = new byte[64 * 1024];
    private readonly ArrayWriter body = new();
    private int from, to, answered;

    public Latencies Latencies { get; } = new();
    public Digest Digest;
    public int Answered => Volatile.Read(ref answered);

    public Client(IPEndPoint address, Schedule schedule, int number)
    {
        this.schedule = schedule;
        requests = schedule.Of(number);
        socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = TimeoutMs, SendTimeout = TimeoutMs };
        socket.Connect(address);
    }

    public void Send(ArrayWriter request)
    {
        ReadOnlySpan<byte> bytes = request.Written;
        while (bytes.Length > 0) bytes = bytes[socket.Send(bytes)..];
    }

    public void ReadAll()
    {
        foreach (int i in requests)
        {
            int status = ReadAnswer();
            if (status != 200) throw new IOException($"request {i} was answered with status {status}");
            if (schedule.IsTimed(i)) Latencies.Since(schedule.StartOf(i));
            Digest.Add(i);
            Digest.Add(body.Written);
            Volatile.Write(ref answered, answered + 1);
        }
    }

    public void Close() => socket.Dispose();

    // Reads one answer into `body`, whether its length is given or it comes in chunks.
    private int ReadAnswer()
    {
        body.Clear();
        ReadOnlySpan<byte> line = ReadLine();
        if (line.Length < 12 || !line.StartsWith("HTTP/1.1 "u8)) throw new IOException("an answer does not begin like one");
        int status = int.Parse(line.Slice(9, 3), CultureInfo.InvariantCulture), length = 0;
        bool chunked = false;
        for (line = ReadLine(); line.Length > 0; line = ReadLine())
        {
            if (line.StartsWith("Content-Length: "u8)) length = int.Parse(line[16..], CultureInfo.InvariantCulture);
            else if (line.SequenceEqual("Transfer-Encoding: chunked"u8)) chunked = true;
        }
        if (!chunked)
        {
            ReadBody(length);
            return status;
        }
        do
        {
            length = int.Parse(ReadLine(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            ReadBody(length);
            if (ReadLine().Length > 0) throw new IOException("a chunk does not end where it says");
        }
        while (length > 0);
        return status;
    }

    private ReadOnlySpan<byte> ReadLine()
    {
        while (true)
        {
            int end = buffer.AsSpan(from, to - from).IndexOf("\r\n"u8);
            if (end >= 0)
            {
                ReadOnlySpan<byte> line = buffer.AsSpan(from, end);
                from += end + 2;
                return line;
            }
            Fill();
        }
    }

    private void ReadBody(int length)
    {
        while (length > 0)
        {
            if (from == to) Fill();
            int part = Math.Min(length, to - from);
            body.Append(buffer.AsSpan(from, part));
            from += part;
            length -= part;
        }
    }

    private void Fill()
    {
        if (from > 0)
        {
            buffer.AsSpan(from, to - from).CopyTo(buffer);
            to -= from;
            from = 0;
        }
        int received = socket.Receive(buffer.AsSpan(to));
        if (received == 0) throw new IOException("the server closed a connection");
        to += received;
    }
}
