#!/usr/bin/env bash
# Every workload, small size, at 1.5 times the minimum heap that stock needs (`garner bench --minheap` searches
# it): each must finish, with stock's checksum. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
GARNER_COMMAND=$BUILD/bin/garner
[ -x "$GARNER_COMMAND" ] || fail "no command at $GARNER_COMMAND; ./run --build makes it"
OUT=$(mktemp -d) && trap 'rm -rf "$OUT"' EXIT
for name in binary-trees gcbench warehouse lru-cache dictionary large-objects pinned-buffers finalizers xml-transform kestrel roslyn build-solution; do
  if timeout 300 "$GARNER_COMMAND" bench --lib "$LIB" --bench-dir "$ROOT/bench/dotnet" --size small --at 1.5 --runs 1 --check --modes garner \
    --out "$OUT/$name" "$name" >"$OUT/$name.log" 2>&1; then pass; else miss "$name at 1.5 times its minimum heap" "$OUT/$name.log"; fi
done
finish
