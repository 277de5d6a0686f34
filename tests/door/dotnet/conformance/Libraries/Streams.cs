// Compression and text encoding through chains of streams with pooled and pinned buffers.
// Rule: what goes in comes out.
// Native libraries get addresses of managed buffers that are pinned for the time of the call only.

using System.IO.Compression;
using System.Text;

namespace Garner.Conformance;

[Behaviour("lib-streams", "compression and encoding streams with native libraries round-trip during collections")]
internal static class Streams
{
    public static void Run(TextWriter output)
    {
        string text = string.Concat(Enumerable.Range(0, Work.Scaled(20_000, 1000)).Select(static i => $"line {i * 7919 % 1013} \u00fc\u4e2d\n"));
        using CancellationTokenSource stop = new();
        Thread collector = new(() => { while (!stop.IsCancellationRequested) { Heap.Turn(); Thread.Sleep(1); } });
        collector.Start();
        for (int kind = 0; kind < 3; kind++)
        {
            using MemoryStream packed = new();
            using (Stream pack = kind switch { 0 => new GZipStream(packed, CompressionLevel.Fastest, true), 1 => new DeflateStream(packed, CompressionLevel.Optimal, true), _ => new BrotliStream(packed, CompressionLevel.Fastest, true) })
            using (StreamWriter writer = new(pack, new UTF8Encoding(false), 1000))
                foreach (string line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
                    writer.Write(line + "\n");
            packed.Position = 0;
            using Stream unpack = kind switch { 0 => new GZipStream(packed, CompressionMode.Decompress), 1 => new DeflateStream(packed, CompressionMode.Decompress), _ => new BrotliStream(packed, CompressionMode.Decompress) };
            using BufferedStream buffered = new(unpack, 500);
            using StreamReader reader = new(buffered, Encoding.UTF8, false, 777);
            Expect.That(reader.ReadToEnd() == text, $"kind {kind}");
        }
        stop.Cancel();
        collector.Join();
        output.WriteLine($"{text.Length} characters, checksum {Work.Mix(0, text):x16}");
    }
}
