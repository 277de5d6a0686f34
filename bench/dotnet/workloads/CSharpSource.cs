// Writes C# source that means nothing and compiles without a warning: the input of the compiler workloads. Same seed, same text, byte for byte.
//
// A compiler is stressed by what it has to bind, infer and lower, so the source has a bit of everything in each file: records, generics with
// constraints, interfaces, enums, pattern matching, switch expressions, LINQ in both spellings, lambdas that capture, local functions, iterators,
// async methods, tuples, interpolated strings, nullable references and documentation comments, and calls and types from other files throughout.
//
// How it stays valid: every file has the same public shape (see Unit), so any file may use any other; and in an arithmetic expression the left side
// of an operator always has a variable in it, so nothing is folded at compile time that could overflow or divide by zero.

using System.Globalization;
using System.Text;

namespace Garner.Bench;

// One generated file and the names of what is public in it:
//   interface I…   { int Rank(int seed); string Label { get; } }
//   enum …Kind     with EnumMembers members
//   record …Entry  (int Id, string Name, double Weight, IReadOnlyList<int> Parts)
//   class …Box<T>  where T : IComparable<T>
//   class …        : I…, with static int Mix(int, int) and static …Entry Sample(int)
internal sealed record Unit(string Namespace, string Name, string[] EnumMembers)
{
    public string Interface => "I" + Name;
    public string Enum => Name + "Kind";
    public string Entry => Name + "Entry";
    public string Box => Name + "Box";
    public string File => Name + ".cs";

    private static readonly string[] First = ["Amber", "Basalt", "Cedar", "Delta", "Ember", "Fjord", "Granite", "Harbor", "Indigo", "Juniper", "Kestrel", "Lagoon", "Marble", "Nectar", "Onyx", "Prairie"];
    private static readonly string[] Second = ["Ledger", "Router", "Parser", "Broker", "Index", "Planner", "Matrix", "Filter", "Gateway", "Monitor", "Registry", "Builder", "Scanner", "Queue", "Folder", "Mapper"];
    private static readonly string[] Members = ["Open", "Closed", "Pending", "Active", "Idle", "Broken", "Hidden", "Final", "Draft", "Locked"];

    public static Unit Make(string rootNamespace, int number, ulong seed)
    {
        Prng prng = new(seed, (ulong)number * 2);
        string name = First[prng.Below(First.Length)] + Second[prng.Below(Second.Length)] + number.ToString("d4", CultureInfo.InvariantCulture);
        int members = prng.Between(3, Members.Length), from = prng.Below(Members.Length);
        return new Unit($"{rootNamespace}.{Second[number % Second.Length]}Area", name, [.. Enumerable.Range(0, members).Select(i => Members[(from + i) % Members.Length])]);
    }
}

internal sealed class CSharpSource
{
    private readonly StringBuilder text = new();
    private readonly Unit self;
    private readonly Unit[] others;
    private Prng prng;
    private int indent, names;

    private CSharpSource(Unit self, Unit[] others, Prng prng)
    {
        this.self = self;
        this.others = others;
        this.prng = prng;
    }

    // The text of one file; `others` are the units it may refer to (itself may be among them).
    public static string Write(Unit self, Unit[] others, ulong seed, int number, int bytes)
    {
        CSharpSource source = new(self, others, new Prng(seed, (ulong)number * 2 + 1));
        source.File(bytes);
        return source.text.ToString();
    }

    // A Main that calls into every file, so that all of it is reachable and the result can be run.
    public static string WriteMain(string rootNamespace, Unit[] units)
    {
        StringBuilder text = new();
        text.Append($"namespace {rootNamespace};\n\ninternal static class Program\n{{\n    private static int Main()\n    {{\n        long sum = 0;\n");
        foreach (Unit unit in units) text.Append(CultureInfo.InvariantCulture, $"        sum = unchecked(sum * 31 + global::{unit.Namespace}.{unit.Name}.Sample({unit.Name.Length}).Parts.Count);\n");
        text.Append("        System.Console.WriteLine(sum);\n        return 0;\n    }\n}\n");
        return text.ToString();
    }

    private void File(int bytes)
    {
        Line("using System;");
        Line("using System.Collections.Generic;");
        Line("using System.Globalization;");
        Line("using System.Linq;");
        Line("using System.Text;");
        Line("using System.Threading.Tasks;");
        Line();
        Line($"namespace {self.Namespace};");
        Line();
        Summary($"The contract of {self.Name}.");
        Open($"public interface {self.Interface}");
        Summary("A rank that depends on the seed.");
        Line("int Rank(int seed);");
        Summary("A label to be shown.");
        Line("string Label { get; }");
        Close();
        Line();
        Summary($"What state a {self.Entry} is in.");
        Open($"public enum {self.Enum}");
        foreach (string member in self.EnumMembers) Line($"{member},");
        Close();
        Line();
        Summary($"One entry of {self.Name}, with its parts.");
        Line($"public sealed record {self.Entry}(int Id, string Name, double Weight, IReadOnlyList<int> Parts);");
        Line();
        Box();
        Summary($"Implements <see cref=\"{self.Interface}\"/> over <see cref=\"{self.Entry}\"/>.");
        Open($"public sealed class {self.Name} : {self.Interface}");
        Fixed();
        for (int i = 0; text.Length < bytes; i++)
        {
            switch (i == 0 ? prng.Below(4) : prng.Below(9))
            {
                case 0: Arithmetic(); break;
                case 1: Query(); break;
                case 2: MethodChain(); break;
                case 3: Pattern(); break;
                case 4: AsyncMethod(); break;
                case 5: Iterator(); break;
                case 6: Interpolation(); break;
                case 7: Capture(); break;
                default: Grouping(); break;
            }
        }
        Close();
    }

    private void Box()
    {
        Summary($"Holds values in order for {self.Name}.");
        Line("/// <typeparam name=\"T\">What is held.</typeparam>");
        Open($"public class {self.Box}<T> where T : IComparable<T>");
        Line("private readonly List<T> items = new();");
        Summary("How many values there are.");
        Line("public int Count => items.Count;");
        Summary("Puts a value where it belongs.");
        Open("public void Put(T item)");
        Line("int at = items.BinarySearch(item);");
        Line("items.Insert(at < 0 ? ~at : at, item);");
        Close();
        Summary("Applies a function to every value.");
        Open($"public {self.Box}<TResult> Map<TResult>(Func<T, TResult> f) where TResult : IComparable<TResult>");
        Line($"{self.Box}<TResult> mapped = new();");
        Line("foreach (T item in items) mapped.Put(f(item));");
        Line("return mapped;");
        Close();
        Summary("The largest value, if there is one.");
        Line("public bool TryMax(out T? max)");
        Open(null);
        Line("max = items.Count > 0 ? items[^1] : default;");
        Line("return items.Count > 0;");
        Close();
        Close();
        Line();
    }

    // What every file has, so that the others can rely on it.
    private void Fixed()
    {
        Unit other = Other();
        Line($"private readonly Dictionary<int, {self.Entry}> entries = new();");
        Line($"private readonly {Qualified(other, other.Box)}<int> box = new();");
        Line();
        Summary("A label made from the number of entries.");
        Line($"public string Label => $\"{self.Name}:{{entries.Count}}:{{box.Count}}\";");
        Line();
        Summary("Mixes two numbers.");
        Line($"public static int Mix(int a, int b) => unchecked({Int(["a", "b"], 3)});");
        Line();
        Summary("An entry made from a seed.");
        Line($"public static {self.Entry} Sample(int seed) => new(seed, $\"{self.Name} {{seed}}\", seed * {prng.Between(1, 99)}.{prng.Between(1, 9)}, new[] {{ seed, Mix(seed, {prng.Below(1000)}), {prng.Below(1000)} }});");
        Line();
        Summary("The rank, computed from the entries.");
        Open("public int Rank(int seed)");
        Line("if (!entries.TryGetValue(seed, out var entry)) entries[seed] = entry = Sample(seed);");
        Line($"box.Put({Qualified(other, other.Name)}.Mix(seed, entry.Id));");
        Line("return box.TryMax(out int max) ? max : entry.Parts.Count;");
        Close();
        Line();
    }

    private void Arithmetic()
    {
        Summary("Computes a number from two others.");
        Open($"public static int {Method("Compute")}(int a, int b)");
        List<string> variables = ["a", "b"];
        int statements = prng.Between(3, 6);
        for (int s = 0; s < statements; s++)
        {
            string v = "v" + s;
            switch (prng.Below(4))
            {
                case 0:
                    Line($"int {v} = unchecked({Int(variables, 3)});");
                    break;
                case 1:
                    Line($"int {v} = {Pick(variables)};");
                    Open($"for (int i = 0; i < {prng.Between(2, 20)}; i++)");
                    Line($"if ({Condition([.. variables, "i"])}) {v} = unchecked({Int([.. variables, v, "i"], 2)});");
                    Line($"else {v} ^= {Int(["i", v], 1)};");
                    Close();
                    break;
                case 2:
                    Line($"int {v} = ({Pick(variables)} & 7) switch");
                    Open(null);
                    for (int k = 0; k < 4; k++) Line($"{k} => unchecked({Int(variables, 2)}),");
                    Line($"> 4 and < 7 when {Condition(variables)} => {Pick(variables)},");
                    Line($"_ => unchecked({Int(variables, 1)}),");
                    Close(";");
                    break;
                default:
                    Unit other = Other();
                    Line($"int {v} = {Qualified(other, other.Name)}.Mix({Pick(variables)}, {Pick(variables)});");
                    break;
            }
            variables.Add(v);
        }
        Line($"return unchecked({Int(variables, 4)});");
        Close();
        Line();
    }

    private void Query()
    {
        Unit other = Other();
        Summary("Selects from entries by a query.");
        Open($"public static IEnumerable<(string Key, double Sum)> {Method("Select")}(IEnumerable<{Qualified(other, other.Entry)}> source, int limit)");
        Line("return from entry in source");
        Line($"       where entry.Id > limit && entry.Parts.Count < {prng.Between(3, 90)}");
        Line($"       let scaled = entry.Weight * {prng.Between(2, 9)}.5 + entry.Name.Length");
        Line("       from part in entry.Parts");
        Line($"       where {Condition(["part", "limit"])}");
        Line($"       orderby part {(prng.OneIn(2) ? "descending, scaled" : "ascending, scaled descending")}");
        Line("       select (entry.Name + part.ToString(CultureInfo.InvariantCulture), scaled / (1 + Math.Abs(part % 97)));");
        Close();
        Line();
    }

    private void MethodChain()
    {
        Unit other = Other();
        Summary("Joins numbers and entries.");
        Open($"public static List<string> {Method("Chain")}(int[] numbers, IReadOnlyDictionary<int, {Qualified(other, other.Entry)}> table)");
        Line("return numbers");
        Line($"    .Where(n => {Condition(["n"])})");
        Line($"    .Select((n, i) => new {{ Number = n, Index = i, Mixed = Mix(n, i) }})");
        Line("    .Where(x => table.ContainsKey(x.Number))");
        Line("    .SelectMany(x => table[x.Number].Parts, (x, part) => new { x.Index, x.Mixed, Part = part })");
        if (prng.OneIn(2)) Line($"    .OrderBy(x => x.Part % {prng.Between(2, 50)}).ThenByDescending(x => x.Index)");
        Line($"    .Select(x => $\"{{x.Index}}/{{x.Mixed:x}}/{{x.Part,{prng.Between(2, 9)}}}\")");
        Line($"    .Distinct(StringComparer.Ordinal).Take({prng.Between(5, 500)})");
        Line("    .ToList();");
        Close();
        Line();
    }

    private void Pattern()
    {
        Unit a = Other(), b = Other();
        Summary("Describes whatever it is given.");
        Line($"public static string {Method("Describe")}(object? value) => value switch");
        Open(null);
        Line("null => \"nothing\",");
        Line($"int n when {Condition(["n"])} => $\"number {{n}}\",");
        Line($"{Qualified(a, a.Entry)} {{ Id: > {prng.Between(5, 500)} and < 10000, Name.Length: var length }} entry => $\"{{entry.Name}} of {{length}}\",");
        if (b != a) Line($"{Qualified(b, b.Entry)} (var id, var name, _, {{ Count: > 2 }}) => name + id,");
        Line($"{Qualified(b, b.Enum)} kind => kind is {Qualified(b, b.Enum)}.{b.EnumMembers[prng.Below(b.EnumMembers.Length)]} ? \"special\" : kind.ToString(),");
        Line("string { Length: > 3 } text => text[1..^1],");
        Line("int[] and [var first, .., var last] => $\"from {first} to {last}\",");
        Line($"{Qualified(a, a.Interface)} thing => thing.Label,");
        Line("_ => value.ToString() ?? \"\",");
        Close(";");
        Line();
    }

    private void AsyncMethod()
    {
        Unit other = Other();
        Summary("Adds up ranks one after another.");
        Open($"public static async Task<int> {Method("Sum")}Async({Qualified(other, other.Interface)} thing, int count)");
        Line("int total = 0;");
        Open("for (int i = 0; i < count; i++)");
        Line("await Task.Yield();");
        Open("try");
        Line($"total += await Task.Run(() => unchecked(thing.Rank(i) + {Int(["i", "count"], 2)}));");
        Close();
        Open($"catch (InvalidOperationException e) when (e.Message.Length > {prng.Between(1, 20)})");
        Line("total -= e.Message.Length;");
        Close();
        Close();
        Line("return total;");
        Close();
        Line();
    }

    private void Iterator()
    {
        Summary("Numbers that follow from one another.");
        Open($"public static IEnumerable<int> {Method("Walk")}(int start, int steps)");
        Line("int current = start;");
        Line("static int Step(int x, int y)");
        Open(null);
        Line($"return unchecked({Int(["x", "y"], 3)});");
        Close();
        Open("while (steps-- > 0)");
        Line($"if (current == {prng.Below(1000)}) yield break;");
        Line("yield return current;");
        Line("current = Step(current, steps);");
        Close();
        Close();
        Line();
    }

    private void Interpolation()
    {
        Unit other = Other();
        Summary("Writes entries as text.");
        Open($"public static string {Method("Render")}(IReadOnlyList<{Qualified(other, other.Entry)}?> list, StringBuilder? reuse = null)");
        Line("StringBuilder text = reuse ?? new StringBuilder();");
        Open("foreach (var entry in list)");
        Line("if (entry is null) continue;");
        Line($"text.Append(CultureInfo.InvariantCulture, $\"{{entry.Id:d{prng.Between(2, 8)}}} {{entry.Name,-{prng.Between(4, 30)}}} {{entry.Weight:f{prng.Between(1, 5)}}}\");");
        Line($"text.AppendJoin('{(char)('+' + prng.Below(5))}', entry.Parts.Select(p => p + {prng.Below(100)})).AppendLine();");
        Close();
        Line($"return text.Length > {prng.Between(10, 4000)} ? text.ToString(0, {prng.Between(2, 10)}) : text.ToString();");
        Close();
        Line();
    }

    private void Capture()
    {
        Unit other = Other();
        Summary("Builds a function out of others.");
        Open($"public Func<int, int> {Method("Combine")}(params int[] offsets)");
        Line("Func<int, int> f = x => x;");
        Open("foreach (int offset in offsets)");
        Line("Func<int, int> previous = f;");
        Line($"f = x => unchecked(previous(x) + {Int(["x", "offset"], 2)} + entries.Count);");
        Close();
        Line($"(int low, int high) range = ({prng.Below(100)}, {prng.Between(100, 1000)});");
        Line($"return x => Math.Clamp(f(x), range.low, range.high) + {Qualified(other, other.Name)}.Mix(x, offsets.Length);");
        Close();
        Line();
    }

    private void Grouping()
    {
        Unit other = Other();
        Summary("Counts entries by kind.");
        Open($"public static Dictionary<{Qualified(other, other.Enum)}, int> {Method("Count")}(params {Qualified(other, other.Entry)}[] list)");
        Line($"var kinds = Enum.GetValues<{Qualified(other, other.Enum)}>();");
        Line($"Dictionary<{Qualified(other, other.Enum)}, int> counts = new();");
        Open("foreach (var group in list.GroupBy(e => kinds[Math.Abs(e.Id) % kinds.Length]))");
        Line($"counts[group.Key] = group.Max(e => e.Parts.Aggregate({prng.Below(100)}, (x, y) => unchecked({Int(["x", "y"], 2)})));");
        Close();
        Line("return counts;");
        Close();
        Line();
    }

    private Unit Other() => others[prng.Below(others.Length)];

    private string Qualified(Unit unit, string name) => unit.Namespace == self.Namespace ? name : $"global::{unit.Namespace}.{name}";

    private string Method(string stem) => stem + names++;

    private string Pick(IReadOnlyList<string> variables) => variables[prng.Below(variables.Count)];

    private string Condition(IReadOnlyList<string> variables)
    {
        string[] comparisons = ["<", ">", "<=", ">=", "!=", "=="];
        string first = $"unchecked({Int(variables, 1)}) {comparisons[prng.Below(comparisons.Length)]} {prng.Below(1000)}";
        return prng.Below(3) switch
        {
            0 => $"{first} && ({Pick(variables)} & {prng.Between(1, 15)}) != 0",
            1 => $"{first} || {Pick(variables)} % {prng.Between(2, 30)} == 1",
            _ => first,
        };
    }

    // An int expression; anything but a leaf has a variable at its far left.
    private string Int(IReadOnlyList<string> variables, int depth)
    {
        if (depth == 0) return Pick(variables);
        string left = Int(variables, depth - 1);
        string right = prng.OneIn(3) ? prng.Between(1, 9999).ToString(CultureInfo.InvariantCulture) : Int(variables, prng.Below(depth));
        return prng.Below(9) switch
        {
            0 => $"({left} + {right})",
            1 => $"({left} - {right})",
            2 => $"({left} * {right})",
            3 => $"({left} ^ {right})",
            4 => $"({left} >> {prng.Between(1, 15)})",
            5 => $"({left} % {prng.Between(2, 999)})",
            // A comparison of a variable with itself is worth a warning.
            6 when left != right => $"({left} < {right} ? {Pick(variables)} : {prng.Below(100)})",
            7 => $"Math.Max({left}, {right})",
            _ => $"({left} & {right})",
        };
    }

    private void Summary(string sentence) => Line($"/// <summary>{sentence}</summary>");

    private void Line(string content = "")
    {
        if (content != "") text.Append(' ', indent * 4).Append(content);
        text.Append('\n');
    }

    private void Open(string? head)
    {
        if (head != null) Line(head);
        Line("{");
        indent++;
    }

    private void Close(string after = "")
    {
        indent--;
        Line("}" + after);
    }
}
