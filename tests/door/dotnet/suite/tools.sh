#!/usr/bin/env bash
# The platform's own tools on programs that run on Garner, each beside stock: sessions of the diagnostics client read with TraceEvent (background collections too), dotnet-trace, the events of
# a heap dump, meters, counters, BenchmarkDotNet, and what ClrMD reads of a dump. Needs packages (tests/door/dotnet/tools/Tools.csproj names them), from the
# cache or from nuget.org. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
TRACE_VERSION=10.0.750501
PROJECT=$ROOT/tests/door/dotnet/tools
# Stock's own choice follows the processor's caches, up to 200 MB: then what is allocated here brings no collection.
export DOTNET_GCgen0size=0x1000000 DOTNET_GCGen0MaxBudget=0x1000000
have_packages "$PROJECT" "the platform's tools" || finish
build_dotnet "$PROJECT"
TOOLS=$ROOT/build/tests/dotnet/tools/bin/Tools.dll
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT

# both NAME STOCK GARNER: what two commands printed on stock and here; each must end with "ok", and say the same.
both() {
  local name=$1
  if [ "$(tail -n 1 "$DIR/stock")" != ok ]; then miss "$name on stock: the test itself is wrong" "$DIR/stock"; return; fi
  if [ "$(tail -n 1 "$DIR/garner")" != ok ]; then miss "$name" "$DIR/garner"; grep -E '^failed:|^Unhandled' "$DIR/garner" | head -n 8; return; fi
  if diff "$DIR/stock" "$DIR/garner" >"$DIR/diff"; then pass; else miss "$name says another thing than on stock" "$DIR/diff"; fi
}
watch() { # MODE [ARGUMENTS]: the tool watches a program that is given the library
  timeout 300 dotnet "$TOOLS" "$1" stock "${@:2}" >"$DIR/stock" 2>&1
  timeout 300 dotnet "$TOOLS" "$1" "$LIB" "${@:2}" >"$DIR/garner" 2>&1
  both "$1"
}
inside() { # MODE: the tool is part of the program
  timeout 300 dotnet "$TOOLS" "$1" >"$DIR/stock" 2>&1
  DOTNET_GCPath=$LIB timeout 300 dotnet "$TOOLS" "$1" >"$DIR/garner" 2>&1
  both "$1"
}

watch session "$DIR"
export DOTNET_gcConcurrent=1 GARNER=marking=concurrent
watch background "$DIR"
unset DOTNET_gcConcurrent GARNER
watch graph
watch counters
inside meters
inside benchmark

# ---- dotnet-trace, the tool itself
TRACE=$BUILD/dotnet-tools/dotnet-trace
if [ "$("$TRACE" --version 2>/dev/null | cut -d+ -f1)" != "$TRACE_VERSION" ]; then
  rm -rf "$BUILD/dotnet-tools"
  timeout 300 dotnet tool install --tool-path "$BUILD/dotnet-tools" dotnet-trace --version $TRACE_VERSION >"$BUILD/dotnet-tools.log" 2>&1
fi
if [ -x "$TRACE" ]; then
  for profile in gc-verbose gc-collect; do
    for side in stock garner; do
      library=; [ $side = garner ] && library=$LIB
      DOTNET_GCPath=$library timeout 300 "$TRACE" collect --profile $profile -o "$DIR/$side.nettrace" -- dotnet "$TOOLS" target "$DIR/$side.json" >"$DIR/trace.log" 2>&1 || cat "$DIR/trace.log"
      timeout 300 dotnet "$TOOLS" read "$DIR/$side.nettrace" "$DIR/$side.json" $profile >"$DIR/$side" 2>&1
    done
    both "dotnet-trace collect --profile $profile"
  done
else
  say "skipped: dotnet-trace $TRACE_VERSION cannot be had; see $BUILD/dotnet-tools.log"
fi

# ---- a dump, read as debuggers read it
for side in stock garner; do
  library= heap=heap; [ $side = garner ] && library=$LIB heap=none
  (DOTNET_GCPath=$library DOTNET_DbgEnableMiniDump=1 DOTNET_DbgMiniDumpType=2 DOTNET_DbgMiniDumpName=$DIR/core timeout 300 dotnet "$TOOLS" crash >"$DIR/crash.log" 2>&1; true) 2>/dev/null
  if [ $side = stock ] && [ ! -s "$DIR/core" ]; then # as where processes may not look at each other
    say "skipped: the runtime writes no dump here"
    finish
  fi
  timeout 300 dotnet "$TOOLS" dump "$DIR/core" $heap >"$DIR/$side" 2>&1
  rm -f "$DIR/core"
done
both dump
finish
