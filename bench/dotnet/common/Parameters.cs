// key=value parameters with defaults and ranges or choices. A wrong one is the caller's mistake and is told in one sentence (UsageError, exit code 2).

using System.Globalization;

namespace Garner.Bench;

internal sealed class UsageError(string message) : Exception(message);

// A number, with the range it may take; or (Text) a string such as a directory name, which must be given; or (Choice) one of a few words, the first by default.
internal sealed record Parameter(string Name, long Default, long Min, long Max, string Meaning)
{
    public bool IsText { get; init; }

    public string[] Choices { get; init; } = [];

    public static Parameter Text(string name, string meaning) => new(name, 0, 0, 0, meaning) { IsText = true };

    public static Parameter Choice(string name, string[] choices, string meaning) => new(name, 0, 0, 0, meaning) { IsText = true, Choices = choices };

    public static Parameter Seed => new("seed", 1, 0, long.MaxValue, "start of the random sequence");

    public static Parameter Threads(int standard) => new("threads", standard, 1, 32, "threads that do the work; the checksum does not depend on it");

    public string Shown => IsText ? $"{Name}={(Choices.Length > 0 ? Choices[0] : "…")}" : $"{Name}={Default}";

    public string Range => Choices.Length > 0 ? string.Join(", ", Choices) : IsText ? "text" : Max == long.MaxValue ? $"from {Min}" : $"{Min} to {Max}";
}

internal sealed class Parameters
{
    private readonly Parameter[] declared;
    private readonly Dictionary<string, long> numbers = [];
    private readonly Dictionary<string, string> texts = [];

    public Parameters(string workload, Parameter[] declared, IEnumerable<string> arguments)
    {
        this.declared = declared;
        foreach (string argument in arguments)
        {
            int equals = argument.IndexOf('=');
            if (equals <= 0) throw new UsageError($"{workload}: '{argument}' is not of the form key=value");
            string key = argument[..equals];
            string value = argument[(equals + 1)..];
            Parameter parameter = Array.Find(declared, p => p.Name == key)
                ?? throw new UsageError($"{workload}: no parameter '{key}'; it takes {string.Join(", ", declared.Select(p => p.Name))}");
            if (numbers.ContainsKey(key) || texts.ContainsKey(key)) throw new UsageError($"{workload}: {key} is given twice");
            if (parameter.IsText)
            {
                if (value == "") throw new UsageError($"{workload}: {key} is empty");
                if (parameter.Choices.Length > 0 && !parameter.Choices.Contains(value)) throw new UsageError($"{workload}: {key}={value} is none of {parameter.Range}");
                texts[key] = value;
                continue;
            }
            if (!long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out long number))
                throw new UsageError($"{workload}: {key}={value} is not a whole number");
            if (number < parameter.Min || number > parameter.Max)
                throw new UsageError($"{workload}: {key}={value} is outside {parameter.Min} to {parameter.Max}");
            numbers[key] = number;
        }
        foreach (Parameter parameter in declared)
        {
            if (parameter.Choices.Length > 0) texts.TryAdd(parameter.Name, parameter.Choices[0]);
            if (parameter.IsText && !texts.ContainsKey(parameter.Name)) throw new UsageError($"{workload}: {parameter.Name}=… is missing ({parameter.Meaning})");
            if (!parameter.IsText) numbers.TryAdd(parameter.Name, parameter.Default);
        }
    }

    public long Long(string name) => numbers[name];

    public int Int(string name) => (int)numbers[name];

    public ulong Seed => (ulong)numbers["seed"];

    public int Threads => Int("threads");

    public string Text(string name) => texts[name];

    public IEnumerable<(string Name, string Json)> AsJson() =>
        declared.Select(p => (p.Name, p.IsText ? Report.Quote(texts[p.Name]) : numbers[p.Name].ToString(CultureInfo.InvariantCulture)));
}
