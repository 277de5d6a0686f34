// The entry point of a program that holds several workloads: `list`, or the name of one and its key=value parameters.

namespace Garner.Bench;

internal static class Menu
{
    public static int Run(string program, Workload[] workloads, string[] arguments)
    {
        if (arguments.Length == 0) return Report.Usage($"usage: dotnet {program} list | NAME key=value …");
        if (arguments[0] == "list")
        {
            if (arguments.Length > 1) return Report.Usage("list takes no parameters");
            foreach (Workload w in workloads) w.Describe(Console.Out);
            return 0;
        }
        Workload? workload = Array.Find(workloads, w => w.Name == arguments[0]);
        if (workload == null) return Report.Usage($"no workload '{arguments[0]}'; `list` shows what there is");
        return Report.Run(workload, arguments.Skip(1));
    }
}
