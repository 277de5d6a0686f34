// The served side of the Kestrel workload: a catalogue that never changes, and sessions whose carts hold the last sixteen lines added, so that what an
// earlier request has stored becomes garbage long after it was promoted. Handlers are written the way minimal APIs are: records bound from and
// written as JSON, LINQ, no thought of the collector.

using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Garner.Bench;

internal sealed record Item(int Id, string Name, int Category, int PriceCents, string[] Tags);

internal sealed record CartRequest(int Item, int Quantity, string Note);

internal sealed record CartLine(Item Item, int Quantity, string Note);

internal sealed record Recommendation(int Session, IReadOnlyList<string> Because, IReadOnlyList<Item> Items);

internal sealed record CartSummary(int Session, int Additions, long TotalCents, IReadOnlyList<string> Names);

internal sealed class Catalogue
{
    public const int Categories = 200;

    private static readonly string[] Words = ["copper", "linen", "walnut", "glass", "steel", "paper", "clay", "wool", "kettle", "lamp", "chair", "shelf", "frame", "basket", "clock", "mirror"];

    private readonly Item[] items;
    private readonly ILookup<int, Item> byCategory;

    public Catalogue(ulong seed, int count)
    {
        Prng prng = new(seed, 2);
        items = new Item[count];
        for (int i = 0; i < count; i++)
        {
            string[] tags = new string[prng.Between(1, 5)];
            for (int t = 0; t < tags.Length; t++) tags[t] = string.Create(CultureInfo.InvariantCulture, $"{Words[prng.Below(Words.Length)]}-{prng.Below(100)}");
            items[i] = new Item(i, $"{Words[prng.Below(Words.Length)]} {Words[prng.Below(Words.Length)]} {i}", prng.Below(Categories), prng.Between(100, 30_000), tags);
        }
        byCategory = items.ToLookup(i => i.Category);
    }

    public int Count => items.Length;

    public Item this[int id] => items[id];

    public IEnumerable<Item> InCategory(int category) => byCategory[category];
}

internal sealed class Session
{
    // A cart begins with some lines, so that the live set has its size from the start.
    public const int Lines = 16, LinesAtFirst = 8;

    public readonly Queue<CartLine> Cart = new();
    public int Additions;
    public long Quantity;
}

internal sealed class Server
{
    private readonly WebApplication app;
    private readonly Catalogue catalogue;
    private readonly ConcurrentDictionary<int, Session> sessions = new();

    public Server(Catalogue catalogue, int sessionCount, ulong seed)
    {
        this.catalogue = catalogue;
        Prng prng = new(seed, 3);
        for (int s = 0; s < sessionCount; s++)
        {
            Session session = sessions[s] = new Session();
            for (int l = 0; l < Session.LinesAtFirst; l++)
                session.Cart.Enqueue(new CartLine(catalogue[prng.Below(catalogue.Count)], prng.Between(1, 7), $"line {l} of session {s} {new string('f', prng.Below(80))}"));
        }

        // Nothing is read from where the program happens to be started.
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        app = builder.Build();
        app.MapGet("/item/{id:int}", (int id) => catalogue[id]);
        app.MapGet("/search", (int category, int below) => Search(category, below));
        app.MapGet("/session/{id:int}", (int id) => sessions[id].Cart.Reverse());
        app.MapGet("/session/{id:int}/recommended", (int id) => Recommend(id));
        app.MapPost("/session/{id:int}", (int id, CartRequest request) => Add(id, request));
    }

    public IPEndPoint Start()
    {
        app.StartAsync().GetAwaiter().GetResult();
        string address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        return new IPEndPoint(IPAddress.Loopback, new Uri(address).Port);
    }

    public void Stop() => app.StopAsync().GetAwaiter().GetResult();

    // The carts against the clients' books, and every line against the catalogue.
    public ulong Verify(Schedule schedule)
    {
        Digest d = default;
        Check.That(sessions.Count == schedule.CartAdditions.Length, "sessions are lost");
        for (int s = 0; s < schedule.CartAdditions.Length; s++)
        {
            Session session = sessions[s];
            Check.That(session.Additions == schedule.CartAdditions[s] && session.Quantity == schedule.CartQuantities[s], "a session does not hold what was put into it");
            Check.That(session.Cart.Count == Math.Min(Session.Lines, Session.LinesAtFirst + session.Additions), "a cart has lost lines");
            foreach (CartLine line in session.Cart)
            {
                Check.That(ReferenceEquals(catalogue[line.Item.Id], line.Item), "a cart line has the wrong item");
                d.Add(line.Item.Name);
                d.Add(line.Quantity);
                d.Add(line.Note);
            }
        }
        return d.Value;
    }

    private object Search(int category, int below) => catalogue.InCategory(category)
        .Where(i => i.PriceCents < below)
        .OrderBy(i => i.PriceCents).ThenBy(i => i.Id)
        .Take(50)
        .Select(i => new { i.Id, i.Name, Price = string.Create(CultureInfo.InvariantCulture, $"{i.PriceCents / 100}.{i.PriceCents % 100:d2}"), Tags = string.Join(' ', i.Tags) })
        .ToList();

    // What has most tags in common with the cart: the expensive request, which builds tables over some hundreds of items and throws them away.
    private Recommendation Recommend(int id)
    {
        List<CartLine> cart = [.. sessions[id].Cart.TakeLast(3)];
        Dictionary<string, int> weights = [];
        foreach (string word in cart.SelectMany(l => l.Item.Tags).SelectMany(t => t.Split('-'))) weights[word] = weights.GetValueOrDefault(word) + 1;
        var scored =
            from category in cart.Select(l => l.Item.Category).Distinct()
            from item in catalogue.InCategory(category)
            let score = item.Tags.SelectMany(t => t.Split('-')).Sum(w => weights.GetValueOrDefault(w))
            where score > 0
            orderby score descending, item.Id
            select item;
        return new Recommendation(id, [.. weights.Keys.Order(StringComparer.Ordinal)], [.. scored.Take(10)]);
    }

    // Requests about one session arrive over one connection, one after another: no lock.
    private CartSummary Add(int id, CartRequest request)
    {
        Session session = sessions[id];
        session.Cart.Enqueue(new CartLine(catalogue[request.Item], request.Quantity, request.Note));
        session.Additions++;
        session.Quantity += request.Quantity;
        if (session.Cart.Count > Session.Lines) session.Cart.Dequeue();
        return new CartSummary(id, session.Additions, session.Cart.Sum(l => (long)l.Item.PriceCents * l.Quantity), [.. session.Cart.Select(l => l.Item.Name)]);
    }
}
