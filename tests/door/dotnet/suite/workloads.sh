#!/usr/bin/env bash
# Every workload's small size on Garner, plain and under stress: the checksum must be the one that the runtime's own collector gives.
# Two of them are made of packages (bench/dotnet/libraries/Libraries.csproj names them), from the cache or from nuget.org; without those they are skipped, which is said.
# Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/bench/dotnet/workloads"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
checksum() { sed -nE 's/.*"checksum":"([0-9a-f]+)".*/\1/p'; }
# compare PROGRAM NAME…: four rows for each workload, on what its program gives on stock.
compare() {
  local program=$1 name parameters expected; shift
  for name in "$@"; do
    parameters=$(small_parameters "$name")
    expected=$(timeout 120 dotnet "$program" $name $parameters 2>/dev/null | checksum)
    [ -n "$expected" ] || { miss "$name on stock"; continue; }
    row plain GARNER=
    row verified "GARNER=workers=2,woken_per=0,verify=both"
    row stress "DOTNET_gcServer=1" "GARNER=workers=3,woken_per=0,stress_every=400,poison=on,seed=3"
    row beside "GARNER=marking=concurrent,workers=2,woken_per=0,stress_every=300,stress_kind=young,poison=on"
  done
}
row() { # WHAT ENVIRONMENT…: one run of compare's workload
  local what=$1 found; shift
  found=$(env DOTNET_GCPath="$LIB" "$@" timeout 180 dotnet "$program" $name $parameters 2>"$LOG" | checksum)
  if [ "$found" = "$expected" ]; then pass; else miss "$name $what ($*): checksum '$found', expected $expected" "$LOG"; fi
}
compare "$WORKLOADS" binary-trees gcbench warehouse lru-cache dictionary large-objects pinned-buffers finalizers xml-transform \
  page-rank k-means components rmat-paths inverted-index actors path-tracer hostile aes random-graph old-entries old-stores survivors request-server hello
if have_packages "$ROOT/bench/dotnet/libraries" "documents and linear-algebra"; then
  build_dotnet "$ROOT/bench/dotnet/libraries"
  compare "$LIBRARIES" documents linear-algebra
fi
finish
