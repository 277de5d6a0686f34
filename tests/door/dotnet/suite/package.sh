#!/usr/bin/env bash
# The NuGet package in use: packed from the library, put into a local feed, referred to by a project of its own, which is built, published in every way
# and run. Arguments: --lib PATH. Runtime packs for what is self-contained come from NuGet. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
WORK=$BUILD/tests/dotnet/package
LOG=$WORK/log
rm -rf "$WORK/app" "$WORK/library" "$WORK/probe" "$WORK/packages/garner"
mkdir -p "$WORK/app" "$WORK/library" "$WORK/probe"
FEED=$("$ROOT/scripts/package.sh" "$BUILD" --lib "$LIB" --only nuget) || { miss "packing: $FEED"; finish; }
VERSION=$(basename "$FEED" .nupkg) FEED=$(dirname "$FEED")
VERSION=${VERSION#Garner.}
DOTNET_ROOT=${DOTNET_ROOT:-$(dirname "$(realpath "$(command -v dotnet)")")}
export DOTNET_ROOT DOTNET_EnableDiagnostics_IPC=0
cat >"$WORK/nuget.config" <<X
<configuration><packageSources><add key="garner" value="$FEED" /></packageSources></configuration>
X
project() { # FILE OUTPUTTYPE
  cat >"$1" <<X
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>$2</OutputType><TargetFramework>net10.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings><Nullable>enable</Nullable><InvariantGlobalization>true</InvariantGlobalization>
    <RestorePackagesPath>$WORK/packages</RestorePackagesPath>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="Garner" Version="$VERSION" /></ItemGroup>
</Project>
X
}
project "$WORK/app/App.csproj" Exe
cp "$ROOT/tests/door/dotnet/loading/Hello.cs" "$WORK/app/Program.cs"
project "$WORK/library/Library.csproj" Library
echo 'public static class Nothing { }' >"$WORK/library/Nothing.cs"

# make VERB NAME ARGUMENTS…: dotnet build or publish to WORK/out/NAME; what it said is in LOG.NAME.
make() {
  local verb=$1 name=$2; shift 2
  rm -rf "$WORK/out/$name" "$WORK/app/obj" "$WORK/app/bin"
  dotnet "$verb" "$WORK/app/App.csproj" -c Release -nologo -v minimal --disable-build-servers -o "$WORK/out/$name" "$@" >"$LOG.$name" 2>&1 && return
  if grep -qE 'NU1101|NU1102|NU1301' "$LOG.$name"; then say "skipped: $verb $name: what it needs of the runtime cannot be had from NuGet"; else miss "$verb $name" "$LOG.$name"; fi
  return 1
}
# runs NAME COLLECTOR COMMAND…: from another directory, and looks at what it says of its own memory map.
runs() {
  local name=$1 collector=$2 said; shift 2
  said=$(cd / && timeout 60 "$@" libgarner-dotnet.so 2>"$LOG.$name.err" </dev/null) && [ "$(head -n 1 <<<"$said")" = "collector $collector" ] && [ "$(tail -n 1 <<<"$said")" = 'objects whole' ] && pass && return
  echo "$said" >>"$LOG.$name.err"
  miss "$name: not on $collector" "$LOG.$name.err"
}
check() { # WHAT, then a command
  local what=$1; shift
  if "$@"; then pass; else miss "$what"; fi
}
G=libgarner-dotnet.so
quiet() { ! grep -q GARNER001 "$1"; }

if make build build; then
  runs build $G dotnet "$WORK/out/build/App.dll"
  runs build-host $G "$WORK/out/build/App"
  check 'build: a warning' quiet "$LOG.build"
  runs switched-off built-in env DOTNET_GCName=libclrgc.so dotnet "$WORK/out/build/App.dll"
fi
make publish portable && runs portable $G dotnet "$WORK/out/portable/App.dll"
make publish contained -r linux-x64 --self-contained true && runs contained $G "$WORK/out/contained/App"
if make publish single -r linux-x64 --self-contained false -p:PublishSingleFile=true; then
  runs single $G "$WORK/out/single/App"
  check 'single: the library is in the file' test -f "$WORK/out/single/$G"
fi
make publish single-contained -r linux-x64 --self-contained true -p:PublishSingleFile=true && runs single-contained $G "$WORK/out/single-contained/App"
make publish trimmed -r linux-x64 --self-contained true -p:PublishTrimmed=true && runs trimmed $G "$WORK/out/trimmed/App"
if make build options '-p:GarnerOptions="workers=1,log=stderr"'; then
  runs options $G dotnet "$WORK/out/options/App.dll"
  check 'options: not passed on' grep -q 'garner: heap ready: .*workers 1,' "$LOG.options.err"
  runs environment $G env GARNER=workers=2,log=stderr dotnet "$WORK/out/options/App.dll"
  check 'environment: GARNER does not win' grep -q 'garner: heap ready: .*workers 2,' "$LOG.environment.err"
fi
# As docs/installing.md has it: the reference is put in by the SDK.
mkdir -p "$WORK/added" && rm -rf "$WORK/added"/*
sed '/PackageReference/d' "$WORK/app/App.csproj" >"$WORK/added/App.csproj" && cp "$WORK/app/Program.cs" "$WORK/added"
if (cd "$WORK/added" && dotnet add package Garner --version "$VERSION" && dotnet build -nologo -v minimal --disable-build-servers -o "$WORK/out/added") >"$LOG.added" 2>&1; then
  runs added $G dotnet "$WORK/out/added/App.dll"
  check 'dotnet add package: a warning' quiet "$LOG.added"
else
  miss 'dotnet add package' "$LOG.added"
fi
if make build off -p:GarnerEnabled=false; then
  runs off built-in dotnet "$WORK/out/off/App.dll"
  check 'off: the library is there' test ! -e "$WORK/out/off/$G"
  check 'off: a warning' quiet "$LOG.off"
fi
if make build arm -r linux-arm64 --self-contained false -p:UseAppHost=false; then
  check 'arm: no warning' grep -q 'GARNER001.*linux-x64 only' "$LOG.arm"
  check 'arm: the library is named' test -z "$(grep -l garner "$WORK/out/arm/App.runtimeconfig.json")"
fi
if dotnet build "$WORK/library/Library.csproj" -c Release -nologo -v minimal --disable-build-servers -o "$WORK/out/library" >"$LOG.library" 2>&1; then
  check 'library: the collector is there' test ! -e "$WORK/out/library/$G"
  check 'library: a warning' quiet "$LOG.library"
else
  miss library "$LOG.library"
fi

# What the targets decide for what cannot be built everywhere, asked of them alone.
cat >"$WORK/probe/probe.proj" <<X
<Project><Import Project="$ROOT/packaging/nuget/Garner.targets" /></Project>
X
decides() { # WHAT EXPECTED PROPERTIES…
  local what=$1 expected=$2 said; shift 2
  said=$(dotnet msbuild "$WORK/probe/probe.proj" -nologo -getProperty:_GarnerUsed -getProperty:_GarnerWhyNot "${@/#/-p:}" 2>&1 | tr -d '\n')
  case $said in *$expected*) pass ;; *) echo "$said" >"$LOG.decides"; miss "the targets, $what" "$LOG.decides" ;; esac
}
BASE=(OutputType=Exe TargetFrameworkIdentifier=.NETCoreApp NETCoreSdkRuntimeIdentifier=linux-x64)
decides 'the usual program' '"_GarnerUsed": "true"' "${BASE[@]}" TargetFrameworkVersion=v10.0
decides '.NET 9' 'runs on .NET 10 only, and this is net9.0' "${BASE[@]}" TargetFrameworkVersion=v9.0 TargetFramework=net9.0
decides '.NET Framework' 'runs on .NET 10 only' "${BASE[@]}" TargetFrameworkIdentifier=.NETFramework TargetFrameworkVersion=v4.8
decides 'PublishAot' 'builds the collector into the program' "${BASE[@]}" TargetFrameworkVersion=v10.0 PublishAot=true
decides 'a build on musl' 'this is for linux-musl-x64' "${BASE[@]}" TargetFrameworkVersion=v10.0 NETCoreSdkRuntimeIdentifier=linux-musl-x64
decides "a distribution's own SDK" '"_GarnerUsed": "true"' "${BASE[@]}" TargetFrameworkVersion=v10.0 NETCoreSdkRuntimeIdentifier=ubuntu.24.04-x64 NETCoreSdkPortableRuntimeIdentifier=linux-x64
decides "a distribution's own SDK on musl" 'this is for linux-musl-x64' "${BASE[@]}" TargetFrameworkVersion=v10.0 NETCoreSdkRuntimeIdentifier=alpine.3.22-x64 NETCoreSdkPortableRuntimeIdentifier=linux-musl-x64
decides 'a program for Windows built on Linux' 'this is for win-x64' "${BASE[@]}" TargetFrameworkVersion=v10.0 RuntimeIdentifier=win-x64
decides 'a build on Windows for Linux' '"_GarnerUsed": "true"' "${BASE[@]}" TargetFrameworkVersion=v10.0 NETCoreSdkRuntimeIdentifier=win-x64 RuntimeIdentifier=linux-x64
finish
