#!/usr/bin/env bash
# `garner top` on a .NET program: its figures are those of the program's own log, for the collection that it names; the program is in the list; general.live=off
# shows nothing. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
GARNER_COMMAND=$BUILD/bin/garner
DIR=$(mktemp -d) && trap 'kill $PID 2>/dev/null; rm -rf "$DIR"' EXIT
PID=
check() { if [ "$2" = "$3" ]; then pass; else miss "$1: '$2', expected '$3'" "$DIR/top"; fi; }
export LC_ALL=C

# start OPTIONS: a program that holds 30 MB and replaces entries for as long as it is wanted; returns when it has collected a few times.
start() {
  : >"$DIR/log"
  GARNER="log=$DIR/log,log_format=json,workers=2,woken_per=0$1" DOTNET_GCPath="$LIB" dotnet "$ENDURANCE" hold live=30 churn=200000 >"$DIR/out" 2>"$DIR/err" &
  PID=$!
  for _ in $(seq 300); do [ "$(grep -c cycle_end "$DIR/log")" -ge 8 ] && return; sleep 0.1; done
  miss "the program did not collect" "$DIR/err"
}
end() { kill "$PID" 2>/dev/null; wait "$PID" 2>/dev/null; }
# number KEY, of the record on stdin
number() { sed -nE "s/.*\"$1\":([0-9]+).*/\1/p"; }
# words as the view writes them, from numbers on stdin
size() { awk '{ n = $1; if (n < 1024) { print n; exit } u = 0; while (n >= 1023.95) { n /= 1024; u++ } printf "%.1f%s\n", n, substr("KMGT", u, 1) }'; }
ms() { awk '{ n = $1 / 1e6; printf(n < 100 ? "%.2f\n" : "%.0f\n", n) }'; }
# The sum of sizes on stdin, as the view writes them; and whether it is a number, as exactly as the view is.
bytes() { tr -s ' ' '\n' | awk '{ u = index("KMGT", substr($1, length($1))); sum += $1 * 1024 ^ u } END { printf "%.0f\n", sum }'; }
within() { awk -v other="$1" '{ d = $1 - other; if (d < 0) d = -d; print d <= 200000 + other / 100 ? "yes" : $1 " and " other }'; }
# shown PATTERN: the part in brackets of the line of the view that has it
shown() { sed -nE "s/.*$1.*/\1/p" "$DIR/top" | head -n 1; }

start ''
for _ in 1 2 3; do # three moments
  "$GARNER_COMMAND" top "$PID" --once >"$DIR/top" 2>"$DIR/topped" || miss "garner top: $(cat "$DIR/topped")" "$DIR/top"
  index=$(shown 'after collection ([0-9]+),')
  sleep 0.3 # the record is written before the page, but the file may be read before both
  grep '"event":"cycle_end"' "$DIR/log" | grep "\"index\":${index:-0}," >"$DIR/cycle"
  check "records of collection $index" "$(wc -l <"$DIR/cycle")" 1
  check "kind and cause" "$(shown 'after collection [0-9]+, ([a-z0-9]+ [a-z_]+),')" "$(sed -nE 's/.*"kind":"([a-z0-9]+)","cause":"([a-z_]+)".*/\1 \2/p' "$DIR/cycle")"
  check "heap" "$(shown '^  all +([^ ]+) ')" "$(number heap_after <"$DIR/cycle" | size)"
  check "holes" "$(shown '^  all +[^ ]+ +([^ ]+) ')" "$(number fragmented <"$DIR/cycle" | size)"
  check "committed" "$(shown 'committed ([^,]+),')" "$(number committed <"$DIR/cycle" | size)"
  check "next eden" "$(shown 'next eden ([^ ]+)')" "$(number eden_next <"$DIR/cycle" | size)"
  check "last pause" "$(shown '^pauses +last ([0-9.]+) ms')" "$(number pause_ns <"$DIR/cycle" | ms)"
  check "stopping" "$(shown '^pauses .*\(([0-9.]+) to stop\)')" "$(number stop_ns <"$DIR/cycle" | ms)"
  # What the log says of the parts: old and large as far as they are filled, young without holes. In MB they agree within what is rounded.
  for pair in "old_after:old" "large_after:large"; do
    part=${pair#*:}
    check "$part" "$(shown "^  $part +([^ ]+ +[^ ]+)" | bytes | within "$(number "${pair%:*}" <"$DIR/cycle")")" yes
  done
  check "eden and survivor" "$({ shown "^  eden +([^ ]+) "; shown "^  survivor +([^ ]+) "; } | bytes | within "$(number young_after <"$DIR/cycle")")" yes
  # All collections up to that one, from the log.
  grep '"event":"cycle_end"' "$DIR/log" | head -n "$index" >"$DIR/cycles"
  for kind in young0 young1 full; do
    count=$(grep -c "\"kind\":\"$kind\"" "$DIR/cycles")
    found=$(shown "^kinds.*[ ,]$kind ([0-9]+)")
    check "$kind collections" "${found:-0}" "$count"
  done
  check "longest pause" "$(shown 'longest ([0-9.]+) ms')" "$(number pause_ns <"$DIR/cycles" | sort -n | tail -n 1 | ms)"
  check "median of the last 256" "$(shown '^last [0-9]+ +p50 ([0-9.]+),')" "$(tail -n 256 "$DIR/cycles" | number pause_ns | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' | ms)"
  # Workers: steals of the collection, and of all.
  grep '"event":"worker_phase"' "$DIR/log" | awk -v index_of="$index" 'match($0, /"index":[0-9]+/) && substr($0, RSTART + 8, RLENGTH - 8) + 0 <= index_of + 0' >"$DIR/phases"
  for worker in 0 1; do
    all=$(grep "\"worker\":$worker," "$DIR/phases" | number steals | awk '{ sum += $1 } END { print sum + 0 }')
    check "steals of worker $worker" "$(awk -v w=$worker 'inside && $1 == w { print $(NF - 2) == "%" ? $(NF - 3) : $(NF - 2); exit } /^worker/ { inside = 1 }' "$DIR/top" | tr -dc 0-9)" "$all"
  done
done
"$GARNER_COMMAND" top >"$DIR/top"
if grep -qE "^ *$PID .* dotnet .*Endurance.dll hold live=30" "$DIR/top"; then pass; else miss "the program in the list" "$DIR/top"; fi
end
start ,live=off
"$GARNER_COMMAND" top "$PID" >"$DIR/top" 2>&1
check "exit code with general.live=off" $? 2
check "what is said then" "$(cat "$DIR/top")" "garner: process $PID has no live page: it does not run on the collector, has just been started, or general.live is off"
check "the log goes on" "$(grep -c heap_ready "$DIR/log")" 1
end
finish
