#!/usr/bin/env bash
# Every workload, small size, at 1.5 and 1.3 times the minimum heap that stock needs (`garner bench --minheap` searches it): each must finish, with stock's checksum;
# and of those in one program, once more at 1.3, at the end of no collection, when copies and what they were copied from are both there, may more of the heap be
# committed than the limit. And pins everywhere in 12 MB, where no hole is large enough for the largest object; and large objects of
# 91 KB in 14 MB, each in a region that small objects had filled before. Those made of packages
# (bench/dotnet/libraries) are skipped without them.
# Arguments: --lib PATH. GARNER_HALF=0 and 1 in the environment are half of it each, beside each other. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
GARNER_COMMAND=$BUILD/bin/garner
[ -x "$GARNER_COMMAND" ] || fail "no command at $GARNER_COMMAND; ./run --build makes it"
OUT=$(mktemp -d) && trap 'rm -rf "$OUT"' EXIT
names=(binary-trees gcbench warehouse lru-cache dictionary large-objects pinned-buffers finalizers xml-transform kestrel roslyn build-solution
  page-rank k-means components rmat-paths inverted-index actors path-tracer hostile aes)
packages=false
have_packages "$ROOT/bench/dotnet/libraries" "documents and linear-algebra" && packages=true && names+=(documents linear-algebra)
# within FILE: of the collections with a limit in this log, how many, and what the worst took of it
within() { grep -a '"event":"cycle_end"' "$1" | sed -nE 's/.*"committed":([0-9]+),"limit":([1-9][0-9]*).*/\1 \2/p' | awk '{ n++; if ($1 / $2 > most) most = $1 / $2 } END { print n + 0, most + 0 }'; }
HALF=${GARNER_HALF:-}
for number in "${!names[@]}"; do
  name=${names[number]}
  [ -z "$HALF" ] || [ $((number % 2)) = "$HALF" ] || continue
  timeout 1200 "$GARNER_COMMAND" bench --lib "$LIB" --bench-dir "$ROOT/bench/dotnet" --size small --at 1.5,1.3 --runs 1 --check --modes garner \
    --out "$OUT/$name" "$name" >"$OUT/$name.log" 2>&1
  for at in 1.5 1.3; do
    if grep -qx "garner: $name at $at: done" "$OUT/$name.log"; then pass; else miss "$name at $at times its minimum heap" "$OUT/$name.log"; fi
  done
  command=$(sed -nE 's/^command *= *dotnet \{bin\}\/workloads\/Workloads.dll (.*)/\1/p' "$ROOT/bench/dotnet/$name.bench")
  [ -n "$command" ] && [ "$name" != aes ] || continue # others are many processes, or packages; aes does not allocate
  parameters=$(small_parameters "$name")
  limit=$(sed -nE 's/.*"limit_bytes": *([0-9]+).*/\1/p' "$OUT/$name/bench.json" | sort -n | head -n 1)
  DOTNET_GCPath=$LIB DOTNET_GCHeapHardLimit=$(printf '%x' "${limit:-0}") GARNER=log=$OUT/heap.json,log_format=json,log_detail=plain \
    timeout 300 dotnet "$WORKLOADS" ${command/\{parameters\}/$parameters} >"$OUT/$name.log" 2>&1
  read -r collections most < <(within "$OUT/heap.json")
  say "$name in $limit bytes: $collections collections, the heap at most $most of its limit"
  if [ "$collections" -ge 1 ] && awk -v most="$most" 'BEGIN { exit !(most <= 1) }'; then pass
  else miss "$name in $limit bytes: $collections collections, the heap at most $most of its limit" "$OUT/$name.log"; fi
  rm -f "$OUT/heap.json"
done
[ "$HALF" != 0 ] || finish
for turn in 1 2 3 4 5; do
  if DOTNET_GCPath=$LIB DOTNET_GCHeapHardLimit=0xc00000 timeout 60 dotnet "$WORKLOADS" pinned-buffers pins=4000 bytes=4096 buffers=300000 threads=2 seed=1 \
    >"$OUT/pins.log" 2>&1; then pass; else miss "pinned-buffers in 12 MB, run $turn" "$OUT/pins.log"; fi
done
if $packages; then
  build_dotnet "$ROOT/bench/dotnet/libraries"
  parameters=$(small_parameters linear-algebra)
  for turn in 1 2 3; do
    if DOTNET_GCPath=$LIB DOTNET_GCHeapHardLimit=0xe00000 timeout 60 dotnet "$LIBRARIES" linear-algebra $parameters >"$OUT/large.log" 2>&1; then pass
    else miss "linear-algebra in 14 MB, run $turn" "$OUT/large.log"; fi
  done
fi
finish
