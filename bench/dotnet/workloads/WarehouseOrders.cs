// warehouse: a wholesale company in memory, in the manner of SPECjbb and TPC-C: warehouses with ten districts, customers, stock and orders in
// dictionaries, and five kinds of transaction on them (new order, payment, order status, delivery, stock level).
//
// It stresses what business programs do to a collector: a large live set of medium-aged objects in hash tables, orders that live for a few hundred
// thousand transactions and die old, stores of young orders into old dictionaries and queues, growing tables, many short strings, and objects
// handed from one thread to another.
//
// One operation is one transaction. A warehouse belongs to one thread and has its own random stream; what crosses to another warehouse is a
// transfer object in a queue, whose effect is a sum, so that the result does not depend on when it arrives. At the end the books are balanced:
// what the orders, customers, stock and histories hold must agree with counters that were kept beside them.

using System.Collections.Concurrent;
using System.Globalization;

namespace Garner.Bench;

internal sealed class WarehouseOrders : Workload
{
    private const int Districts = 10;
    private const int HistoryKept = 200;

    public override string Name => "warehouse";

    public override string Stresses => "a large live set in dictionaries, objects that die old, stores into old tables, hand-over between threads";

    public override Parameter[] Parameters =>
    [
        new("warehouses", 8, 1, 1024, "warehouses, each with ten districts"),
        new("customers", 600, 10, 100_000, "customers of a district"),
        new("items", 20_000, 100, 1_000_000, "items in the catalogue, all in stock in every warehouse"),
        new("orders", 400, 20, 100_000, "orders a district keeps before the oldest is dropped"),
        new("transactions", 150_000, 1, 1_000_000_000, "transactions of a warehouse"),
        Parameter.Threads(2),
        Parameter.Seed,
    ];

    public override Outcome Run(Parameters parameters)
    {
        int count = parameters.Int("warehouses"), threads = parameters.Threads;
        int transactions = parameters.Int("transactions");
        Item[] items = new Item[parameters.Int("items")];
        Prng naming = new(parameters.Seed, 1000);
        for (int i = 0; i < items.Length; i++) items[i] = new Item(i, $"item {i} {Syllables(ref naming, 3)}", naming.Between(100, 10_000));

        Warehouse[] warehouses = new Warehouse[count];
        Crew.Run(threads, t =>
        {
            for (int w = t; w < count; w += threads)
                warehouses[w] = new Warehouse(w, parameters.Seed, items, parameters.Int("customers"), parameters.Int("orders"), warehouses);
        });

        Latencies[] parts = Crew.Run(threads, t =>
        {
            Latencies mine = new();
            long time = Latencies.Now();
            for (int i = 0; i < transactions; i++)
            {
                for (int w = t; w < count; w += threads)
                {
                    warehouses[w].Transact();
                    time = mine.Since(time);
                }
            }
            return mine;
        });

        Latencies latencies = Latencies.Merged(parts);
        Digest digest = default;
        foreach (Item item in items) digest.Add(item.Check());
        foreach (Warehouse warehouse in warehouses) warehouse.Receive();
        foreach (Warehouse warehouse in warehouses) digest.Add(warehouse.BalanceBooks());
        long sent = warehouses.Sum(w => w.TransfersSent), received = warehouses.Sum(w => w.TransfersReceived);
        Bench.Check.That(sent == received, $"{sent} transfers sent, {received} received");
        return new Outcome((long)transactions * count, latencies, digest.Value);
    }

    private static string Syllables(ref Prng prng, int count)
    {
        string[] parts = ["bar", "ought", "able", "pri", "pres", "ese", "anti", "cally", "ation", "eing"];
        string text = "";
        for (int i = 0; i < count; i++) text += parts[prng.Below(parts.Length)];
        return text;
    }

    private sealed record Item(int Id, string Name, int PriceCents)
    {
        public ulong Check()
        {
            Digest d = default;
            d.Add(Id);
            d.Add(Name);
            d.Add(PriceCents);
            return d.Value;
        }
    }

    private sealed class Stock(Item item, int quantity)
    {
        public readonly Item Item = item;
        public int Quantity = quantity;
        public int Sold, Restocked;
    }

    private sealed class Customer(int id, string first, string last, string data)
    {
        public readonly int Id = id;
        public readonly string First = first, Last = last, Data = data;
        public long BalanceCents;
        public int Payments, Deliveries;
        public Order? LastOrder;
    }

    private sealed class OrderLine(Item item, int quantity, string info)
    {
        public readonly Item Item = item;
        public readonly int Quantity = quantity;
        public readonly long AmountCents = (long)item.PriceCents * quantity;
        public readonly string Info = info;
        public long DeliveredAt = -1;
    }

    private sealed class Order(int id, Customer customer, long entered, OrderLine[] lines)
    {
        public readonly int Id = id;
        public readonly Customer Customer = customer;
        public readonly long Entered = entered;
        public readonly OrderLine[] Lines = lines;
        public int Carrier = -1;

        public long Total()
        {
            long total = 0;
            foreach (OrderLine line in Lines) total += line.AmountCents;
            return total;
        }
    }

    private sealed record History(Customer Customer, long AmountCents, string Data);

    private sealed record Transfer(Customer Payer, int From, long Number, long AmountCents, string Memo);

    private sealed class District
    {
        public readonly Dictionary<int, Customer> Customers = [];
        public readonly Dictionary<string, List<Customer>> ByLastName = [];
        public readonly Dictionary<int, Order> Orders = [];
        public readonly Queue<Order> NewOrders = new();
        public readonly Queue<History> Histories = new();
        public int NextOrder, OldestOrder;
        public long PaidCents;
        // Kept beside the objects, to compare with them at the end.
        public long HistoriesDropped, OrdersPlaced, OrdersDelivered;
    }

    private sealed class Warehouse
    {
        private readonly int number;
        private readonly Item[] items;
        private readonly Warehouse[] all;
        private readonly int ordersKept;
        private readonly Dictionary<int, Stock> stock = [];
        private readonly District[] districts = new District[Districts];
        private readonly ConcurrentQueue<Transfer> inbox = new();
        private readonly int[] soldByItem;
        private Prng prng;
        private long clock;
        private long paidCents, historyPaidDroppedCents;
        private Digest answers, arrivals;

        public long TransfersSent { get; private set; }
        public long TransfersReceived { get; private set; }

        public Warehouse(int number, ulong seed, Item[] items, int customers, int ordersKept, Warehouse[] all)
        {
            this.number = number;
            this.items = items;
            this.ordersKept = ordersKept;
            this.all = all;
            prng = new Prng(seed, (ulong)number);
            soldByItem = new int[items.Length];
            foreach (Item item in items) stock.Add(item.Id, new Stock(item, prng.Between(10, 100)));
            for (int d = 0; d < Districts; d++)
            {
                District district = districts[d] = new District();
                for (int c = 0; c < customers; c++)
                {
                    Customer customer = new(c, Syllables(ref prng, 2), Syllables(ref prng, 3), new string((char)('a' + c % 26), prng.Between(30, 120)));
                    district.Customers.Add(c, customer);
                    if (!district.ByLastName.TryGetValue(customer.Last, out List<Customer>? named)) district.ByLastName.Add(customer.Last, named = []);
                    named.Add(customer);
                }
                for (int o = 0; o < ordersKept; o++) NewOrder(district);
            }
        }

        public void Transact()
        {
            clock++;
            if (!inbox.IsEmpty) Receive();
            District district = districts[prng.Below(Districts)];
            int kind = prng.Below(100);
            if (kind < 45) NewOrder(district);
            else if (kind < 88) Payment(district);
            else if (kind < 92) OrderStatus(district);
            else if (kind < 96) Deliver();
            else StockLevel(district);
        }

        private Customer SomeCustomer(District district)
        {
            Customer customer = district.Customers[prng.Below(district.Customers.Count)];
            if (!prng.OneIn(3)) return customer;
            // By last name, as the rule book has it: the middle one of all who share it. The name is put together anew, so this hashes a fresh string.
            List<Customer> named = district.ByLastName[string.Concat(customer.Last.AsSpan(0, 3), customer.Last.AsSpan(3))];
            return named[named.Count / 2];
        }

        private void NewOrder(District district)
        {
            Customer customer = SomeCustomer(district);
            OrderLine[] lines = new OrderLine[prng.Between(5, 15)];
            for (int i = 0; i < lines.Length; i++)
            {
                Stock s = stock[prng.Skewed(items.Length, 2)];
                int quantity = prng.Between(1, 10);
                if (s.Quantity < quantity + 10)
                {
                    s.Quantity += 91;
                    s.Restocked += 91;
                }
                s.Quantity -= quantity;
                s.Sold += quantity;
                soldByItem[s.Item.Id] += quantity;
                lines[i] = new OrderLine(s.Item, quantity, string.Create(CultureInfo.InvariantCulture, $"w{number} {s.Item.Id:x} x{quantity}"));
            }
            Order order = new(district.NextOrder++, customer, clock, lines);
            district.Orders.Add(order.Id, order);
            district.NewOrders.Enqueue(order);
            district.OrdersPlaced++;
            customer.LastOrder = order;
            while (district.Orders.Count > ordersKept)
            {
                Bench.Check.That(district.Orders.Remove(district.OldestOrder, out Order? oldest) && oldest.Id == district.OldestOrder, "the oldest order is not in its table");
                answers.Add(oldest!.Total());
                district.OldestOrder++;
                // An order nobody delivered in time is dropped from the queue too, which is in order of age.
                if (district.NewOrders.TryPeek(out Order? waiting) && waiting.Id < district.OldestOrder)
                {
                    Bench.Check.That(ReferenceEquals(waiting, oldest), "queue and table disagree about an order");
                    district.NewOrders.Dequeue();
                    district.OrdersDelivered++;
                }
            }
        }

        private void Payment(District district)
        {
            Customer customer = SomeCustomer(district);
            long amount = prng.Between(100, 500_000);
            customer.BalanceCents -= amount;
            customer.Payments++;
            district.PaidCents += amount;
            paidCents += amount;
            string data = string.Create(CultureInfo.InvariantCulture, $"{customer.First} {customer.Last} paid {amount / 100}.{amount % 100:d2} at {clock}");
            district.Histories.Enqueue(new History(customer, amount, data));
            if (district.Histories.Count > HistoryKept)
            {
                History old = district.Histories.Dequeue();
                historyPaidDroppedCents += old.AmountCents;
                district.HistoriesDropped++;
                answers.Add(old.Data);
            }
            if (prng.OneIn(50))
            {
                Warehouse other = all[prng.Below(all.Length)];
                TransfersSent++;
                other.inbox.Enqueue(new Transfer(customer, number, TransfersSent, amount, $"{number}:{TransfersSent}:{amount}"));
            }
        }

        private void OrderStatus(District district)
        {
            Customer customer = SomeCustomer(district);
            answers.Add(customer.BalanceCents);
            if (customer.LastOrder is not { } order) return;
            Bench.Check.That(ReferenceEquals(order.Customer, customer), "an order is not its customer's");
            foreach (OrderLine line in order.Lines) answers.Add(line.Info);
            answers.Add(order.Carrier);
        }

        // Delivers the oldest waiting orders of every district, most of what came in since.
        private void Deliver()
        {
            int carrier = prng.Between(1, 10);
            foreach (District district in districts)
            {
                for (int i = 0; i < 2 && district.NewOrders.TryDequeue(out Order? order); i++)
                {
                    order.Carrier = carrier;
                    foreach (OrderLine line in order.Lines) line.DeliveredAt = clock;
                    order.Customer.BalanceCents += order.Total();
                    order.Customer.Deliveries++;
                    district.OrdersDelivered++;
                }
            }
        }

        private void StockLevel(District district)
        {
            int threshold = prng.Between(15, 40);
            HashSet<int> low = [];
            for (int id = Math.Max(district.OldestOrder, district.NextOrder - 20); id < district.NextOrder; id++)
                foreach (OrderLine line in district.Orders[id].Lines)
                    if (stock[line.Item.Id].Quantity < threshold) low.Add(line.Item.Id);
            answers.Add(low.Count);
        }

        public void Receive()
        {
            while (inbox.TryDequeue(out Transfer? transfer))
            {
                Bench.Check.That(transfer.Memo == $"{transfer.From}:{transfer.Number}:{transfer.AmountCents}", "a transfer's memo does not match");
                Digest d = default;
                d.Add(transfer.Memo);
                d.Add(transfer.Payer.Last);
                arrivals.AddUnordered(d.Value);
                TransfersReceived++;
            }
        }

        public ulong BalanceBooks()
        {
            Digest d = default;
            for (int i = 0; i < items.Length; i++)
            {
                Stock s = stock[i];
                Bench.Check.That(ReferenceEquals(s.Item, items[i]), "a stock entry has the wrong item");
                Bench.Check.That(s.Sold == soldByItem[i], "a stock entry has lost sales");
                d.Add(s.Quantity);
                d.Add(s.Restocked);
            }
            long histories = historyPaidDroppedCents;
            foreach (District district in districts)
            {
                Bench.Check.That(district.Orders.Count == district.NextOrder - district.OldestOrder, "the order table has lost orders");
                for (int id = district.OldestOrder; id < district.NextOrder; id++)
                {
                    Order order = district.Orders[id];
                    Bench.Check.That(order.Id == id && ReferenceEquals(district.Customers[order.Customer.Id], order.Customer), "an order is damaged");
                    d.Add(order.Entered);
                    d.Add(order.Carrier);
                    foreach (OrderLine line in order.Lines)
                    {
                        Bench.Check.That(line.AmountCents == (long)line.Item.PriceCents * line.Quantity && ReferenceEquals(line.Item, items[line.Item.Id]), "an order line is damaged");
                        d.Add(line.Info);
                        d.Add(line.DeliveredAt);
                    }
                }
                Bench.Check.That(district.OrdersPlaced == district.OrdersDelivered + district.NewOrders.Count, "orders placed, delivered and waiting do not add up");
                for (int c = 0; c < district.Customers.Count; c++)
                {
                    Customer customer = district.Customers[c];
                    Bench.Check.That(customer.Id == c && district.ByLastName[customer.Last].Contains(customer), "a customer is not found by name");
                    d.Add(customer.BalanceCents);
                    d.Add(customer.Payments);
                    d.Add(customer.Deliveries);
                    d.Add(customer.First);
                    d.Add(customer.Data);
                }
                foreach (History history in district.Histories)
                {
                    histories += history.AmountCents;
                    Bench.Check.That(history.Data.StartsWith(history.Customer.First, StringComparison.Ordinal), "a history entry has the wrong customer");
                    d.Add(history.Data);
                }
                d.Add(district.PaidCents);
                d.Add(district.HistoriesDropped);
            }
            Bench.Check.That(histories == paidCents, "payments and histories do not add up");
            d.Add(paidCents);
            d.Add(answers.Value);
            d.Add(arrivals.Value);
            return d.Value;
        }
    }
}
