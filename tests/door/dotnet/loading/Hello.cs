// The smallest program that shows which collector it runs on. loading.sh starts it in every way a .NET program can be packaged and every
// way a collector can be named, and reads its lines.
// The collector's library is found in the process's own memory map: whatever a setting says, the file that is mapped is the one in use.

using System.Runtime;

string? argument = args.Length > 0 ? args[0] : null;
string collector = "built-in";
foreach (string line in File.ReadLines("/proc/self/maps"))
    if (argument != null && Path.GetFileName(line) == argument)
        collector = argument;

// A little work for the collector: a list that survives, garbage beside it, a collection of each generation.
List<string> kept = [];
for (int i = 0; i < 100_000; i++)
{
    string made = i.ToString();
    if (i % 100 == 0)
        kept.Add(made);
}
for (int generation = 0; generation <= GC.MaxGeneration; generation++)
    GC.Collect(generation);
bool whole = true;
for (int i = 0; i < kept.Count; i++)
    whole &= kept[i] == (i * 100).ToString();

Console.WriteLine($"collector {collector}");
Console.WriteLine($"server {GCSettings.IsServerGC}");
Console.WriteLine($"collections {(GC.CollectionCount(0) >= 3 && GC.CollectionCount(2) >= 1 ? "counted" : "missing")}");
Console.WriteLine($"objects {(whole ? "whole" : "damaged")}");
foreach (string name in new[] { "GCName", "GCPath", "ServerGC" })
    if (GC.GetConfigurationVariables().TryGetValue(name, out object? value))
        Console.Error.WriteLine($"variable {name} {value}");
return whole ? 0 : 1;
