// aes: the block cipher AES-128 over buffers that are there from the start.
//
// It stresses nothing in a collector, and that is what it is for: its loop allocates nothing, so whatever differs between two collectors here is start-up,
// code generation or the machine, not collecting.
//
// One operation encrypts one lane's buffer as a chain of blocks, in place. The cipher is checked with the example of the standard (FIPS 197); every byte of the
// end depends on all bytes before it, so the checksum tells of any that was wrong on the way.

using System.Buffers.Binary;

namespace Garner.Bench;

internal sealed class Aes : Workload
{
    private const int BlockBytes = 16;

    public override string Name => "aes";

    public override string Stresses => "nothing: a control that allocates nothing in its loop";

    public override Parameter[] Parameters =>
    [
        new("kilobytes", 512, LaneCount, 1_000_000, "buffers, of all lanes together"),
        new("passes", 1500, 1, 10_000_000, "times each buffer is encrypted"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        Cipher.CheckExample();
        int bytes = parameters.Int("kilobytes") * 1024 / LaneCount / BlockBytes * BlockBytes;
        return RunLanes(parameters.Threads, parameters.Long("passes") * LaneCount, lane => new Lane(parameters.Seed, lane, bytes));
    }

    // A round of one byte is one word of a table; the other three tables that are usual are this one rotated.
    private sealed class Cipher
    {
        private const int Rounds = 10;
        private static readonly byte[] Box = MakeBox();
        private static readonly uint[] Table = MakeTable();
        private readonly uint[] keys = new uint[4 * (Rounds + 1)];

        public Cipher(ReadOnlySpan<byte> key)
        {
            for (int i = 0; i < 4; i++) keys[i] = BinaryPrimitives.ReadUInt32BigEndian(key[(4 * i)..]);
            uint constant = 1;
            for (int i = 4; i < keys.Length; i++)
            {
                uint word = keys[i - 1];
                if (i % 4 == 0)
                {
                    word = Substituted(uint.RotateLeft(word, 8)) ^ constant << 24;
                    constant = Doubled(constant);
                }
                keys[i] = keys[i - 4] ^ word;
            }
        }

        public void Encrypt(Span<byte> block)
        {
            uint a = BinaryPrimitives.ReadUInt32BigEndian(block) ^ keys[0], b = BinaryPrimitives.ReadUInt32BigEndian(block[4..]) ^ keys[1];
            uint c = BinaryPrimitives.ReadUInt32BigEndian(block[8..]) ^ keys[2], d = BinaryPrimitives.ReadUInt32BigEndian(block[12..]) ^ keys[3];
            for (int i = 4; i < 4 * Rounds; i += 4)
                (a, b, c, d) = (Mixed(a, b, c, d) ^ keys[i], Mixed(b, c, d, a) ^ keys[i + 1], Mixed(c, d, a, b) ^ keys[i + 2], Mixed(d, a, b, c) ^ keys[i + 3]);
            BinaryPrimitives.WriteUInt32BigEndian(block, Last(a, b, c, d) ^ keys[4 * Rounds]);
            BinaryPrimitives.WriteUInt32BigEndian(block[4..], Last(b, c, d, a) ^ keys[4 * Rounds + 1]);
            BinaryPrimitives.WriteUInt32BigEndian(block[8..], Last(c, d, a, b) ^ keys[4 * Rounds + 2]);
            BinaryPrimitives.WriteUInt32BigEndian(block[12..], Last(d, a, b, c) ^ keys[4 * Rounds + 3]);
        }

        public static void CheckExample()
        {
            byte[] key = [.. Enumerable.Range(0, 16).Select(i => (byte)i)], block = [.. Enumerable.Range(0, 16).Select(i => (byte)(i * 0x11))];
            new Cipher(key).Encrypt(block);
            Check.That(Convert.ToHexString(block) == "69C4E0D86A7B0430D8CDB78070B4C55A", "the standard's example is encrypted to something else");
        }

        private static uint Mixed(uint a, uint b, uint c, uint d) =>
            Table[a >> 24] ^ uint.RotateRight(Table[(b >> 16) & 255], 8) ^ uint.RotateRight(Table[(c >> 8) & 255], 16) ^ uint.RotateRight(Table[d & 255], 24);

        private static uint Last(uint a, uint b, uint c, uint d) => (uint)(Box[a >> 24] << 24 | Box[(b >> 16) & 255] << 16 | Box[(c >> 8) & 255] << 8 | Box[d & 255]);

        private static uint Substituted(uint word) => Last(word, word, word, word);

        private static uint Doubled(uint x) => (x << 1) ^ (x >= 0x80 ? 0x11bu : 0);

        // The inverse in the field of 256 elements, found by walking through all powers of a generator and of its inverse, then the affine map.
        private static byte[] MakeBox()
        {
            byte[] box = new byte[256];
            uint p = 1, q = 1;
            do
            {
                p ^= Doubled(p); // times 3
                q ^= q << 1; // divided by 3
                q ^= q << 2;
                q ^= q << 4;
                q &= 0xff;
                if (q >= 0x80) q ^= 9;
                uint twice = q | q << 8;
                box[p] = (byte)(q ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63);
            }
            while (p != 1);
            box[0] = 0x63;
            return box;
        }

        private static uint[] MakeTable()
        {
            uint[] table = new uint[256];
            for (int i = 0; i < 256; i++)
            {
                uint s = Box[i], twice = Doubled(s);
                table[i] = twice << 24 | s << 16 | s << 8 | twice ^ s;
            }
            return table;
        }
    }

    private sealed class Lane : ILane
    {
        private readonly byte[] buffer;
        private readonly Cipher cipher;

        public Lane(ulong seed, int lane, int bytes)
        {
            Prng prng = new(seed, (ulong)lane);
            byte[] key = new byte[BlockBytes];
            for (int i = 0; i < key.Length; i++) key[i] = (byte)prng.Next();
            cipher = new Cipher(key);
            buffer = new byte[bytes];
            for (int i = 0; i < bytes; i++) buffer[i] = (byte)prng.Next();
        }

        // Each block is combined with the encrypted one before it, the first with the last of the pass before.
        public void Step()
        {
            Span<byte> before = buffer.AsSpan(buffer.Length - BlockBytes);
            for (int at = 0; at < buffer.Length; at += BlockBytes)
            {
                Span<byte> block = buffer.AsSpan(at, BlockBytes);
                for (int i = 0; i < BlockBytes; i++) block[i] ^= before[i];
                cipher.Encrypt(block);
                before = block;
            }
        }

        public ulong Verify() => Digest.Of(buffer);
    }
}
