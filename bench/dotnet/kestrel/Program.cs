// Entry point of the Kestrel workload: key=value parameters, or `list`.

namespace Garner.Bench;

internal static class Program
{
    private static int Main(string[] arguments)
    {
        Workload workload = new KestrelApi();
        if (arguments is ["list"])
        {
            workload.Describe(Console.Out);
            return 0;
        }
        return Report.Run(workload, arguments);
    }
}
