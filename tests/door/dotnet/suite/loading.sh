#!/usr/bin/env bash
# Every way to switch Garner on, and what happens with a runtime of another version. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
OUT=$(mktemp) && trap 'rm -f "$OUT"' EXIT
for script in versions loading; do
  "$ROOT/tests/door/dotnet/loading/$script.sh" --lib "$LIB" 2>&1 | tee "$OUT" | sed '$d'
  read -r p word f _ < <(tail -n 1 "$OUT" | tr -d ,)
  if [ "$word" = passed ]; then PASSED=$((PASSED + p)) FAILED=$((FAILED + f)); else miss "$script.sh ended without counts" "$OUT"; fi
done
finish
