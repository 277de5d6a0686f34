// Which threads the collector has made, and on which processors they may run.

namespace Garner.Endurance;

internal static class Workers
{
    public static void Show(int entries)
    {
        Table table = new(entries, 1);
        for (int i = 0; i < 20; i++)
        {
            table.Replace(entries / 2);
            GC.Collect(i % 3);
        }
        List<string> processors = [];
        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                if (!File.ReadAllText(task + "/comm").StartsWith(".NET GC Worker", StringComparison.Ordinal))
                    continue;
                processors.Add(File.ReadLines(task + "/status").First(static l => l.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)).Split('\t')[1]);
            }
            catch (IOException)
            {
                // A thread that ended meanwhile is none of the collector's.
            }
        }
        Console.WriteLine($"threads {processors.Count}");
        foreach (string one in processors.Distinct().Order())
            Console.WriteLine($"processors {one}");
        Console.WriteLine($"checksum {table.Sum:x16}");
    }
}
