#!/usr/bin/env bash
# The platform's own tools on programs that run on Garner, each beside stock: sessions of the diagnostics client read with TraceEvent (background collections too), the events of
# a heap dump, meters, counters, BenchmarkDotNet, dotnet-trace, dotnet-gcdump, dotnet-counters, dotnet-dump, and what ClrMD reads of a dump. Needs packages (tests/door/dotnet/tools/Tools.csproj names them), from the
# cache or from nuget.org. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
TOOLS_VERSION=10.0.750501
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

# ---- the tools themselves
tool() { # NAME: it is in TOOL afterwards; returns 1, with one line, when it cannot be had
  TOOL=$BUILD/dotnet-tools/$1
  [ "$("$TOOL" --version 2>/dev/null | head -n 1 | cut -d+ -f1)" = "$TOOLS_VERSION" ] && return 0
  timeout 60 dotnet tool uninstall --tool-path "$BUILD/dotnet-tools" "$1" >/dev/null 2>&1
  timeout 300 dotnet tool install --tool-path "$BUILD/dotnet-tools" "$1" --version $TOOLS_VERSION >"$BUILD/dotnet-tools.log" 2>&1
  [ -x "$TOOL" ] && return 0
  say "skipped: $1 $TOOLS_VERSION cannot be had; see $BUILD/dotnet-tools.log"
  return 1
}
# started SIDE MODE: a program that is watched, PROGRAM, which has said that it is ready; ended lets it go.
started() {
  local library=
  [ "$1" = garner ] && library=$LIB
  rm -f "$DIR/in" && mkfifo "$DIR/in"
  DOTNET_GCPath=$library dotnet "$TOOLS" "$2" <"$DIR/in" >"$DIR/ready" 2>&1 &
  PROGRAM=$!
  exec 9>"$DIR/in"
  for _ in $(seq 300); do grep -q ready "$DIR/ready" && return; sleep 0.1; done
}
ended() { echo >&9; exec 9>&-; wait $PROGRAM; }

if tool dotnet-trace; then
  for profile in gc-verbose gc-collect; do
    for side in stock garner; do
      library=; [ $side = garner ] && library=$LIB
      DOTNET_GCPath=$library timeout 300 "$TOOL" collect --profile $profile -o "$DIR/$side.nettrace" -- dotnet "$TOOLS" target "$DIR/$side.json" >"$DIR/trace.log" 2>&1 || cat "$DIR/trace.log"
      timeout 300 dotnet "$TOOLS" read "$DIR/$side.nettrace" "$DIR/$side.json" $profile >"$DIR/$side" 2>&1
    done
    both "dotnet-trace collect --profile $profile"
  done
fi
# Objects and bytes by type, of the types of Shape.cs.
if tool dotnet-gcdump; then
  for side in stock garner; do
    started $side shape
    timeout 120 "$TOOL" collect -p $PROGRAM -o "$DIR/$side.gcdump" >"$DIR/gcdump.log" 2>&1 || cat "$DIR/gcdump.log"
    ended
    timeout 120 "$TOOL" report "$DIR/$side.gcdump" 2>&1 | tr -s ' ' | grep -F Garner.Tools.Shapes. | sort >"$DIR/$side"
    [ "$(wc -l <"$DIR/$side")" -ge 12 ] && echo ok >>"$DIR/$side"
  done
  both "dotnet-gcdump collect"
fi
# Which instruments arrive; what they say is for the rows above.
if tool dotnet-counters; then
  for side in stock garner; do
    started $side steady
    timeout 120 "$TOOL" collect -p $PROGRAM --counters System.Runtime --format csv -o "$DIR/$side.csv" --duration 00:00:10 >"$DIR/counters.log" 2>&1 || cat "$DIR/counters.log"
    ended
    cut -d, -f3 "$DIR/$side.csv" | grep '^dotnet\.gc' | LC_ALL=C sort -u >"$DIR/$side"
    [ "$(wc -l <"$DIR/$side")" -ge 10 ] && echo ok >>"$DIR/$side"
  done
  both "dotnet-counters collect"
fi
# Threads are there as on stock; a walk of the heap is refused, with the line that docs/dotnet.md quotes.
REFUSED='The GC heap is not in a valid state for traversal'
if tool dotnet-dump; then
  export DOTNET_TieredCompilation=0 # its worker is a thread that comes and goes
  for side in stock garner; do
    started $side shape
    timeout 120 "$TOOL" collect -p $PROGRAM -o "$DIR/$side.core" >"$DIR/collect.log" 2>&1 || cat "$DIR/collect.log"
    ended
    if [ $side = stock ] && [ ! -s "$DIR/stock.core" ]; then
      say "skipped: dotnet-dump collects no dump here"
      break
    fi
    timeout 120 "$TOOL" analyze "$DIR/$side.core" -c clrthreads -c 'dumpheap -stat' -c exit >"$DIR/analyzed" 2>&1
    rm -f "$DIR/$side.core"
    { sed -n '/^ThreadCount:/p' "$DIR/analyzed" | tr -s ' '; grep -o '(Finalizer)' "$DIR/analyzed"; } >"$DIR/$side"
    walk=$(grep -cE '^Total [0-9,]+ objects' "$DIR/analyzed")
    case $side$walk in
      stock1) echo ok >>"$DIR/stock" ;;
      garner0) grep -qF "$REFUSED" "$DIR/analyzed" && echo ok >>"$DIR/garner" ;;
    esac
  done
  unset DOTNET_TieredCompilation
  [ $side = stock ] || both "dotnet-dump collect and analyze"
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
