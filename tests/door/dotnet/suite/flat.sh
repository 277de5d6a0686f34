#!/usr/bin/env bash
# What is old and of no concern to a young collection must not make it longer: its median pause beside many old entries of each kind (old-entries), and after a few
# stores into many old objects (old-stores), is that beside none, or few: within the millisecond that the mark allows for a million (`garner marks old-entries`), and 0.3 ms for stores. A busy machine lengthens pauses: once in five times will do.
# Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/bench/dotnet/workloads"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
export DOTNET_GCgen0size=0x800000 # some 25 collections of each run, whatever the caches of the machine
# median COLLECTIONS WORKLOAD PARAMETER…: of its young pauses, in ms; nothing where it fails, or has fewer collections than COLLECTIONS.
median() {
  local least=$1 count; shift
  DOTNET_GCPath=$LIB timeout 60 dotnet "$WORKLOADS" "$@" threads=1 >"$LOG" 2>&1 || return
  count=$(sed -nE 's/.*"(young_collections|counted)":([0-9]+).*/\2/p' "$LOG")
  [ "${count:-0}" -ge "$least" ] && sed -nE 's/.*"young_pause_ms":\{"median":([0-9.]+).*/\1/p' "$LOG"
}
# against COLLECTIONS WORKLOAD PARAMETER…: what rows are compared with. Of each try that fails it is measured again: a machine may become slower meanwhile.
against() { BASE=("$@") base=$(median "$@"); }
# row COLLECTIONS WORKLOAD PARAMETER…: within SLACK ms of that
row() {
  local try found=
  for try in 1 2 3 4 5; do
    found=$(median "$@")
    awk -v found="${found:-none}" -v base="${base:-none}" -v slack=$SLACK 'BEGIN { exit !(found ~ /^[0-9]/ && base ~ /^[0-9]/ && found <= base + slack) }' && pass && return
    against "${BASE[@]}"
  done
  miss "${*:2}: median young pause ${found:-none} ms, beside nothing ${base:-none} ms" "$LOG"
}
SLACK=1
against 10 old-entries kind=none count=1000000 megabytes=200
for kind in weak long-weak finalizable conditional syncblocks mixed; do row 10 old-entries kind=$kind count=1000000 megabytes=200; done
against 10 old-entries kind=none count=100000 megabytes=200
row 10 old-entries kind=pinned count=100000 megabytes=200
SLACK=0.3
against 20 old-stores old=50000 stores=500 rounds=40
row 20 old-stores old=2000000 stores=500 rounds=40
finish
