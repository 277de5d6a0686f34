// inverted-index: an index over generated text, built document by document, then searched for several words, any of several, and phrases.
//
// It stresses tables that only grow: strings that die as soon as they have been looked up, except the first of each word, lists that are copied when they
// grow, stores of young entries into old lists all over the heap; then many short-lived lists of hits beside a live set that no longer changes.
//
// One operation indexes one document or answers one question. Lanes are shards with their own documents. Words are as frequent as in language (Zipf).
// Phrases are taken from a document, which must be among the hits; at the end one document in a few is made again and every word of it must be where
// the index says.

using System.Text;

namespace Garner.Bench;

internal sealed class InvertedIndex : Workload
{
    private const int VerifiedOf = 8;

    public override string Name => "inverted-index";

    public override string Stresses => "growing tables and lists, strings that die after one look-up, then lists of hits beside an unchanging live set";

    public override Parameter[] Parameters =>
    [
        new("documents", 40_000, LaneCount, 100_000_000, "documents that are indexed"),
        new("words", 200, 8, 100_000, "words of the longest document; half as many on average"),
        new("vocabulary", 50_000, 100, 10_000_000, "different words"),
        new("searches", 40_000, 0, 10_000_000_000, "questions asked when the index is complete"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int documents = parameters.Int("documents") / LaneCount;
        long searches = parameters.Long("searches") / LaneCount;
        Words words = new(parameters.Int("vocabulary"));
        return RunLanes(parameters.Threads, (documents + searches) * LaneCount, lane => new Shard(parameters.Seed, lane, words, documents, parameters.Int("words")));
    }

    private sealed class Posting(int document)
    {
        public readonly int Document = document;
        public readonly List<int> Places = [];
    }

    private sealed record Hit(int Document, int Score);

    private sealed class Shard(ulong seed, int lane, Words words, int documents, int longest) : ILane
    {
        private static readonly char[] Separators = [' ', ',', '.'];
        private readonly Dictionary<string, List<Posting>> index = [];
        private Prng prng = new(seed, (ulong)lane);
        private Digest digest;
        private int indexed;
        private long places;

        public void Step()
        {
            if (indexed < documents) Add(indexed++);
            else Search();
        }

        private int[] WordsOf(int document)
        {
            Prng p = new(seed + (ulong)document, (ulong)lane);
            int[] drawn = new int[p.Between(4, longest)];
            for (int i = 0; i < drawn.Length; i++) drawn[i] = words.Draw(ref p);
            return drawn;
        }

        private static string TextOf(int[] drawn)
        {
            StringBuilder text = new();
            for (int i = 0; i < drawn.Length; i++)
            {
                int start = text.Length;
                Words.Spell(drawn[i], text);
                if (i % 12 == 0) text[start] = char.ToUpperInvariant(text[start]);
                text.Append(i % 12 == 11 ? ". " : i % 12 == 5 ? ", " : " ");
            }
            return text.ToString();
        }

        private void Add(int document)
        {
            string[] tokens = TextOf(WordsOf(document)).Split(Separators, StringSplitOptions.RemoveEmptyEntries);
            for (int place = 0; place < tokens.Length; place++)
            {
                string word = tokens[place].ToLowerInvariant();
                if (!index.TryGetValue(word, out List<Posting>? postings)) index.Add(word, postings = []);
                if (postings.Count == 0 || postings[^1].Document != document) postings.Add(new Posting(document));
                postings[^1].Places.Add(place);
                places++;
            }
        }

        private void Search()
        {
            // Asked for as a person does who remembers a document: words of it, or a piece.
            int document = prng.Below(documents);
            int[] drawn = WordsOf(document);
            int count = prng.Between(2, 3), start = prng.Below(drawn.Length - count + 1);
            List<Posting>[] lists = [.. drawn.Skip(start).Take(count).Select(word => index.GetValueOrDefault(Words.Spelled(word)) ?? [])];
            int kind = prng.Below(3);
            List<Hit> hits = kind switch { 0 => All(lists), 1 => Any(lists), _ => Phrase(lists) };
            Check.That(hits.Exists(hit => hit.Document == document), "a search does not find the document its words are from");
            Hit[] best = [.. hits.OrderByDescending(hit => hit.Score).ThenBy(hit => hit.Document).Take(10)];
            digest.Add(hits.Count);
            foreach (Hit hit in best)
            {
                digest.Add(hit.Document);
                digest.Add(hit.Score);
            }
        }

        private static List<Hit> All(List<Posting>[] lists) => Together(lists, found => found.Sum(posting => posting.Places.Count));

        private static List<Hit> Phrase(List<Posting>[] lists) => Together(lists, found => found[0].Places.Count(place => Follow(found, place)));

        private static bool Follow(Posting[] found, int place)
        {
            for (int i = 1; i < found.Length; i++)
                if (found[i].Places.BinarySearch(place + i) < 0) return false;
            return true;
        }

        // Documents that are in every list and whose score is not 0, by one walk through all lists side by side.
        private static List<Hit> Together(List<Posting>[] lists, Func<Posting[], int> score)
        {
            List<Hit> hits = [];
            int[] at = new int[lists.Length];
            foreach (Posting first in lists[0])
            {
                Posting[] found = new Posting[lists.Length];
                found[0] = first;
                for (int i = 1; i < lists.Length; i++)
                {
                    while (at[i] < lists[i].Count && lists[i][at[i]].Document < first.Document) at[i]++;
                    if (at[i] < lists[i].Count && lists[i][at[i]].Document == first.Document) found[i] = lists[i][at[i]];
                }
                if (Array.IndexOf(found, null) >= 0) continue;
                int value = score(found);
                if (value > 0) hits.Add(new Hit(first.Document, value));
            }
            return hits;
        }

        private static List<Hit> Any(List<Posting>[] lists)
        {
            SortedDictionary<int, Hit> hits = [];
            foreach (Posting posting in lists.SelectMany(list => list))
            {
                int score = hits.TryGetValue(posting.Document, out Hit? hit) ? hit.Score : 0;
                hits[posting.Document] = new Hit(posting.Document, score + posting.Places.Count);
            }
            return [.. hits.Values];
        }

        public ulong Verify()
        {
            long held = 0;
            foreach (List<Posting> postings in index.Values)
            {
                for (int i = 0; i < postings.Count; i++)
                {
                    Check.That(i == 0 || postings[i - 1].Document < postings[i].Document, "the entries of a word are not in order");
                    held += postings[i].Places.Count;
                }
            }
            Check.That(held == places, "the index has lost places of words");
            for (int document = 0; document < documents; document += VerifiedOf)
            {
                int[] drawn = WordsOf(document);
                for (int place = 0; place < drawn.Length; place++)
                {
                    Check.That(index.TryGetValue(Words.Spelled(drawn[place]), out List<Posting>? postings), "a word is not in the index");
                    Posting? posting = Find(postings!, document);
                    Check.That(posting != null && posting.Places.BinarySearch(place) >= 0, "a word is not where the index says");
                }
            }
            digest.Add(index.Count);
            digest.Add(places);
            return digest.Value;
        }

        private static Posting? Find(List<Posting> postings, int document)
        {
            int low = 0, high = postings.Count - 1;
            while (low <= high)
            {
                int middle = (low + high) / 2;
                if (postings[middle].Document == document) return postings[middle];
                if (postings[middle].Document < document) low = middle + 1;
                else high = middle - 1;
            }
            return null;
        }
    }
}
