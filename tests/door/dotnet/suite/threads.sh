#!/usr/bin/env bash
# 100,000 threads that start, allocate and end while collections run, sixteen at a time; the conformance program thread-churn, whose quick
# form has 2,000. Arguments: --lib PATH. Ends with "N passed, N failed".
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
finish
