// Entry point of the workloads that are made of other people's libraries.

namespace Garner.Bench;

internal static class Program
{
    private static int Main(string[] arguments) => Menu.Run("Libraries.dll", [new Documents(), new LinearAlgebra()], arguments);
}
