// hello: a program that starts, makes its line and ends; with `megabytes`, one that keeps so much of small objects for a short while, as many tools do.
//
// It stresses what a collector costs a program that hardly needs one: what it does at start and end, and the memory it takes for itself.
//
// One operation replaces one of the objects by a new one. Each carries its place and how often that was filled, and is looked at when it goes and in the end.

namespace Garner.Bench;

internal sealed class Hello : Workload
{
    // What an object takes, with its place in the array.
    private const int NoteBytes = 40;

    public override string Name => "hello";

    public override string Stresses => "start and end of a program, with or without some small objects that it keeps for a short while";

    public override Parameter[] Parameters =>
    [
        new("megabytes", 0, 0, 10_000, "small objects that are kept; 0: none, and none is replaced"),
        new("replacements", 2_000_000, 0, 10_000_000_000, "objects replaced"),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        Note[] notes = new Note[parameters.Long("megabytes") * (1 << 20) / NoteBytes];
        long replacements = notes.Length == 0 ? 0 : parameters.Long("replacements");
        for (int place = 0; place < notes.Length; place++) notes[place] = new Note(place, 0);
        Latencies latencies = new();
        Prng prng = new(parameters.Seed);
        long time = Latencies.Now();
        for (long i = 0; i < replacements; i++)
        {
            int place = prng.Below(notes.Length);
            notes[place].Look(place);
            notes[place] = new Note(place, notes[place].Filled + 1);
            time = latencies.Since(time);
        }
        Digest digest = default;
        for (int place = 0; place < notes.Length; place++)
        {
            notes[place].Look(place);
            digest.Add(notes[place].Mark);
        }
        return new Outcome(replacements, latencies, digest.Value);
    }

    private sealed class Note(int place, int filled)
    {
        public readonly int Place = place, Filled = filled;
        public readonly ulong Mark = MarkOf(place, filled);

        public void Look(int place) => Check.That(Place == place && Mark == MarkOf(Place, Filled), "a note is not what was put there");

        private static ulong MarkOf(int place, int filled) => Prng.Mix(((ulong)place << 32) + (ulong)filled);
    }
}
