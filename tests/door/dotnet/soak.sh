#!/usr/bin/env bash
# Mixed real workloads under stress for a given time (those made of packages where they are there, which is said): every run takes a workload, a seed and a set of options by turns; its checksum must be
# the one that the runtime's own collector gives. Every second set is drawn by the run's number, all options of the table among them (garner_seeds --options N).
# Arguments: --lib PATH --minutes N --first N (the number of the first run: another one draws other options). Says how long it ran; last line "N passed, N failed".
MINUTES=30 FIRST=0
[ "${1:-}" = --lib ] && SOAK_LIB=$(realpath "$2") && shift 2
[ "${1:-}" = --minutes ] && MINUTES=$2 && shift 2
[ "${1:-}" = --first ] && FIRST=$2 && shift 2
cd "$(dirname "$0")/suite" && . ./common.sh ${SOAK_LIB:+--lib "$SOAK_LIB"}
build_dotnet "$ROOT/bench/dotnet/workloads"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
names=(binary-trees gcbench warehouse lru-cache dictionary large-objects pinned-buffers finalizers xml-transform page-rank k-means components rmat-paths
  inverted-index actors path-tracer hostile random-graph old-entries old-stores survivors request-server hello aes)
declare -A program=() # that is not WORKLOADS
if have_packages "$ROOT/bench/dotnet/libraries" "documents and linear-algebra"; then
  build_dotnet "$ROOT/bench/dotnet/libraries"
  for name in documents linear-algebra; do names+=("$name") program[$name]=$LIBRARIES; done
fi
options=("workers=2,stress_every=200,poison=on" "workers=3,woken_per=0,stress_every=500,stress_kind=full" "preset=ps,workers=2,stress_every=300"
  "preset=naps,workers=4,stress_every=300" "tenure_age=3,region=64k,tlab=4k,stress_every=2000" "workers=2,stress_every=800,verify=both" "workers=1"
  "marking=concurrent,moved_at_once=256k,stress_every=7,stress_kind=young"
  "en_masse=mostly,ahead=0,part=0,hold=off,huge_pages=on,compact_dense=101,compact_into=fresh,no_room=full,full_promotes=all,stress_every=40")
declare -A expected tight=([binary-trees]=16 [gcbench]=18 [finalizers]=16 [pinned-buffers]=12) # MB; near the least each finishes in
checksum() { sed -nE 's/.*"checksum":"([0-9a-f]+)".*/\1/p'; }
[ -x "$BUILD/bin/garner_seeds" ] || fail "no $BUILD/bin/garner_seeds, which draws options; ./run --build makes it"
# Of what is drawn: how often it collects besides.
drawn() { printf '%s,stress_every=%d,stress_kind=%s' "$("$BUILD/bin/garner_seeds" --options "$1")" $((30 + $1 * 37 % 1000)) "$(cut -d' ' -f$((1 + $1 % 3)) <<<'mixed young full')"; }
turn=$FIRST
while [ $SECONDS -lt $((MINUTES * 60)) ]; do
  name=${names[$((turn % ${#names[@]}))]}
  parameters=$(small_parameters "$name")
  [ -n "${expected[$name]:-}" ] || expected[$name]=$(dotnet "${program[$name]:-$WORKLOADS}" $name $parameters 2>/dev/null | checksum)
  if [ -z "${expected[$name]}" ]; then # nothing to compare with: two empty checksums are no agreement
    miss "$name on stock gives no checksum"
    turn=$((turn + 1))
    continue
  fi
  with="${options[$((turn / 2 % ${#options[@]}))]},seed=$turn"
  [ $(((turn + turn / ${#names[@]}) % 2)) = 0 ] || with=$(drawn $turn)
  limit= # every other round
  [ $((turn / ${#names[@]} % 2)) = 1 ] && [ -n "${tight[$name]:-}" ] && limit=$(printf 'DOTNET_GCHeapHardLimit=0x%x' $((tight[$name] << 20)))
  found=$(env $limit DOTNET_GCPath=$LIB DOTNET_gcServer=$((turn / 3 % 2)) GARNER=$with timeout 300 dotnet "${program[$name]:-$WORKLOADS}" $name $parameters 2>"$LOG" | checksum)
  if [ "$found" = "${expected[$name]}" ]; then pass; else miss "$name with $with $limit: checksum '$found', expected ${expected[$name]}" "$LOG"; fi
  turn=$((turn + 1))
done
say "ran $((SECONDS / 60)) minutes, $((turn - FIRST)) runs"
finish
