#!/usr/bin/env bash
# 100,000 threads that start, allocate and end while collections run, sixteen at a time; the conformance program thread-churn, whose quick
# form has 2,000. And what a pause takes beyond its phases where more threads are ready than there are processors: the one that collects is not put aside by those it wakes. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
"$ROOT/tests/door/dotnet/conformance.sh" --only '^thread-churn$' --jobs 1 >/dev/null || fail "thread-churn fails on the runtime's own collectors, or does not build"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
row() { # COUNT, environment assignments
  local count=$1 found; shift
  found=$(DOTNET_GCPath=$LIB timeout 300 env "$@" dotnet "$ROOT/build/tests/dotnet/conformance/bin/Conformance.dll" "count=$count" thread-churn 2>"$LOG" | tr '\n' ' ')
  if [ "$found" = "$count threads ok thread-churn " ]; then pass; else miss "$count threads with $*: '$found'" "$LOG"; fi
}
row 100000 GARNER=workers=2,woken_per=0
row 5000 DOTNET_gcServer=1 GARNER=preset=ps,workers=3,woken_per=0,stress_every=20,verify=after,poison=on

# Median over collections of what no phase explains, in us: some 40; 2000 to 4000 when threads were woken inside the runtime's restart.
build_dotnet "$ROOT/bench/dotnet/workloads"
JSON=$(mktemp) && trap 'rm -f "$LOG" "$JSON"' EXIT
# Other programs put its threads aside too: once in three times will do.
beyond_phases() {
  rm -f "$JSON"
  DOTNET_GCPath=$LIB timeout 120 env "GARNER=log=$JSON,log_format=json" dotnet "$WORKLOADS" path-tracer "threads=$((3 * $(nproc)))" >/dev/null 2>"$LOG"
  grep '"event":"cycle_end"' "$JSON" | awk '{
    n = split($0, fields, /[,{}]/); left = 0
    for (i = 1; i <= n; i++) {
      split(fields[i], pair, ":"); gsub(/"/, "", pair[1])
      if (pair[1] == "pause_ns") left += pair[2]
      else if (pair[1] ~ /^(stop|gather|evacuate|weak|mark|compact|finish|cards)_ns$/) left -= pair[2]
    }
    print int(left / 1000)
  }' | sort -n | awk '{ all[NR] = $1 } END { print (NR >= 5 ? all[int((NR + 1) / 2)] : "of too few collections") }'
}
for try in 1 2 3; do
  unexplained=$(beyond_phases)
  [[ $unexplained =~ ^-?[0-9]+$ ]] && [ "$unexplained" -lt 1000 ] && break
done
if [[ $unexplained =~ ^-?[0-9]+$ ]] && [ "$unexplained" -lt 1000 ]; then pass; else miss "pauses beyond their phases with more threads than processors: $unexplained us" "$LOG"; fi
finish
