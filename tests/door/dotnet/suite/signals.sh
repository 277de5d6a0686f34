#!/usr/bin/env bash
# 100,000 signals on a program that allocates and collects, to the process and to every thread, the collector's own included: the checksum
# is stock's. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
storm() { timeout 120 dotnet "$ENDURANCE" signals count="$1" rounds=10 2>"$LOG"; } # COUNT
expected=$(storm 1000) || fail "the storm fails on the runtime's own collector"
row() { # COUNT, environment assignments
  local count=$1 found; shift
  found=$(export DOTNET_GCPath="$LIB" "$@"; storm "$count")
  if [ "$found" = "$expected" ]; then pass; else miss "$count signals with $*: '$found', expected $expected" "$LOG"; fi
}
row 100000 GARNER=workers=3,woken_per=0
row 100000 DOTNET_gcServer=1 GARNER=preset=org,workers=3,woken_per=0
row 20000 GARNER=workers=3,woken_per=0,stress_every=40,verify=after,poison=on
row 20000 GARNER=workers=2,woken_per=0,stress_every=200,stress_kind=full,conductor=waits
finish
