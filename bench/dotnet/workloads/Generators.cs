// generate-csharp and generate-solution: the inputs of the two compiler workloads, roslyn (the SDK's C# compiler on one large project) and
// build-solution (`dotnet build` of a solution). The text depends on the parameters only; what names places on this machine (the reference assemblies, the
// directory itself) is confined to the response file and to path maps, so what the compiler writes is the same bytes wherever it is run.
//
// Both are workloads themselves, with the same output line: an operation is one file written, the checksum is over the generated source.

using System.Text;

namespace Garner.Bench;

internal sealed class GenerateCsharp : Workload
{
    public override string Name => "generate-csharp";

    public override string Stresses => "nothing: writes the C# project that the roslyn workload compiles, with a response file for csc";

    public override Parameter[] Parameters =>
    [
        new("files", 200, 1, 100_000, "source files, about four kilobytes each"),
        Parameter.Seed,
        Parameter.Text("out", "directory to write to; it is made if it is not there"),
    ];

    public override Outcome Run(Parameters parameters)
    {
        string directory = Path.GetFullPath(parameters.Text("out"));
        SourceFiles files = new(Path.Combine(directory, "src"));
        Unit[] units = files.WriteUnits("Generated", 0, parameters.Int("files"), [], parameters.Seed);
        files.Write("Program.cs", CSharpSource.WriteMain("Generated", units));

        StringBuilder response = new();
        response.Append("-target:exe\n-out:generated.dll\n-debug:portable\n-pdb:generated.pdb\n-doc:generated.xml\n");
        response.Append("-deterministic+\n-optimize+\n-nullable:enable\n-langversion:14\n-nostdlib+\n-utf8output\n-nologo\n");
        // Public members of the filler that need no comment of their own.
        response.Append("-nowarn:1591\n");
        response.Append($"-pathmap:\"{directory}\"=/generated\n");
        foreach (string reference in ReferenceAssemblies()) response.Append($"-r:\"{reference}\"\n");
        foreach (Unit unit in units) response.Append($"src/{unit.File}\n");
        response.Append("src/Program.cs\n");
        File.WriteAllText(Path.Combine(directory, "generated.rsp"), response.ToString());
        return files.Outcome;
    }

    // The reference pack of the SDK that this runtime belongs to; where only a runtime is installed, the runtime's own assemblies do.
    private static string[] ReferenceAssemblies()
    {
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string pack = Path.GetFullPath(Path.Combine(runtime, "../../../packs/Microsoft.NETCore.App.Ref"));
        string? newest = !Directory.Exists(pack) ? null : Directory.GetDirectories(pack, "10.*")
            .Select(d => Path.Combine(d, "ref/net10.0"))
            .Where(Directory.Exists)
            .MaxBy(d => Version.TryParse(Path.GetFileName(Path.GetDirectoryName(Path.GetDirectoryName(d))), out Version? v) ? v : new Version(0, 0));
        string[] assemblies = Directory.GetFiles(newest ?? runtime, "*.dll");
        Array.Sort(assemblies, StringComparer.Ordinal);
        return assemblies;
    }
}

internal sealed class GenerateSolution : Workload
{
    public override string Name => "generate-solution";

    public override string Stresses => "nothing: writes the solution that the build-solution workload builds";

    public override Parameter[] Parameters =>
    [
        new("projects", 10, 1, 500, "projects in the solution; each refers to the one before it and to some earlier ones"),
        new("files", 12, 1, 10_000, "source files of a project"),
        Parameter.Seed,
        Parameter.Text("out", "directory to write to; it is made if it is not there"),
    ];

    public override Outcome Run(Parameters parameters)
    {
        string directory = Path.GetFullPath(parameters.Text("out"));
        int projects = parameters.Int("projects"), perProject = parameters.Int("files");
        SourceFiles files = new(directory);

        // Closes the directory to what lies around it: no other Directory.Build.* and no package source is looked for, and the output does not depend on
        // where the directory is or on the repository it may be part of.
        files.Write("Directory.Build.props", """
            <Project>
              <PropertyGroup>
                <TargetFramework>net10.0</TargetFramework>
                <Nullable>enable</Nullable>
                <LangVersion>14</LangVersion>
                <Deterministic>true</Deterministic>
                <PathMap>$(MSBuildThisFileDirectory)=/solution/</PathMap>
                <IncludeSourceRevisionInInformationalVersion>false</IncludeSourceRevisionInInformationalVersion>
                <EnableSourceControlManagerQueries>false</EnableSourceControlManagerQueries>
                <UseAppHost>false</UseAppHost>
                <NuGetAudit>false</NuGetAudit>
              </PropertyGroup>
            </Project>

            """);
        files.Write("Directory.Build.targets", "<Project />\n");
        files.Write("Directory.Packages.props", "<Project />\n");
        files.Write("nuget.config", "<configuration>\n  <packageSources>\n    <clear />\n  </packageSources>\n</configuration>\n");

        Prng prng = new(parameters.Seed, 7);
        List<Unit[]> all = [];
        StringBuilder solution = new("<Solution>\n");
        for (int p = 0; p < projects; p++)
        {
            string name = ProjectName(p);
            List<int> references = [];
            for (int r = 0; r < p; r++)
                if (r == p - 1 || prng.OneIn(3)) references.Add(r);
            Unit[] visible = [.. references.SelectMany(r => all[r])];
            SourceFiles inProject = files.Below(name);
            Unit[] units = inProject.WriteUnits($"Generated.{name}", p * perProject, perProject, visible, parameters.Seed);
            all.Add(units);

            bool program = p == projects - 1;
            StringBuilder project = new("<Project Sdk=\"Microsoft.NET.Sdk\">\n");
            if (program) project.Append("  <PropertyGroup>\n    <OutputType>Exe</OutputType>\n  </PropertyGroup>\n");
            project.Append("  <ItemGroup>\n");
            foreach (int r in references) project.Append($"    <ProjectReference Include=\"../{ProjectName(r)}/{ProjectName(r)}.csproj\" />\n");
            project.Append("  </ItemGroup>\n</Project>\n");
            inProject.Write($"{name}.csproj", project.ToString());
            if (program) inProject.Write("Program.cs", CSharpSource.WriteMain($"Generated.{name}", units));
            solution.Append($"  <Project Path=\"{name}/{name}.csproj\" />\n");
        }
        files.Write("Generated.slnx", solution.Append("</Solution>\n").ToString());
        return files.Outcome;
    }

    private static string ProjectName(int number) => $"Project{number:d2}";
}

// Files written below a directory, with the time each took and a digest of their names and contents.
internal sealed class SourceFiles(string directory)
{
    private sealed class Tally
    {
        public readonly Latencies Latencies = new();
        public long Files, Time = Latencies.Now();
        public Digest Digest;
    }

    private Tally tally = new();

    public Outcome Outcome => new(tally.Files, tally.Latencies, tally.Digest.Value);

    public SourceFiles Below(string name) => new(Path.Combine(directory, name)) { tally = tally };

    public void Write(string name, string content)
    {
        Directory.CreateDirectory(directory);
        File.WriteAllText(Path.Combine(directory, name), content);
        tally.Digest.Add(name);
        tally.Digest.Add(content);
        tally.Files++;
        tally.Time = tally.Latencies.Since(tally.Time);
    }

    // `count` files of about four kilobytes that use each other and the `visible` ones.
    public Unit[] WriteUnits(string rootNamespace, int first, int count, Unit[] visible, ulong seed)
    {
        Unit[] units = [.. Enumerable.Range(first, count).Select(i => Unit.Make(rootNamespace, i, seed))];
        Unit[] usable = [.. units, .. visible];
        Prng sizes = new(seed, 3 + (ulong)first);
        for (int i = 0; i < count; i++) Write(units[i].File, CSharpSource.Write(units[i], usable, seed, first + i, sizes.Between(3000, 4400)));
        return units;
    }
}
