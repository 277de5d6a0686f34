#!/usr/bin/env bash
# The collector on a guest with eight nodes: where pages are, who is pinned where, what is stolen, what a refused policy does (numa_guest.cc).
# Argument: the build directory. Last line "N passed, N failed".
. "$(dirname "$0")/boot.sh"
cp "$BUILD/bin/garner_numa_guest" "$TREE/guest"
with_libraries "$BUILD/bin/garner_numa_guest"
echo '/guest --gtest_color=no' >"$WORK/run"
OUT=$QEMU_DIR/placement.log
boot "$WORK/run" "$OUT" 600 || echo "the guest did not come to its end; its last lines are:" "$(tail -n 3 "$OUT")"
grep -aE 'guest:|^\[  FAILED|Failure|^  |^Expected|^old|^eden|^survivor' "$OUT"
P=$(grep -ac '^\[       OK \]' "$OUT")
ALL=$(grep -acE '^\[ RUN' "$OUT") F=$((ALL - P))
[ "$ALL" -gt 0 ] && grep -aq '^guest: end after' "$OUT" && grep -aq '^\[==========\].*ran\.' "$OUT" || F=$((F + 1))
if within 80; then P=$((P + 1)); else F=$((F + 1)); fi
echo "$P passed, $F failed"
[ "$F" -eq 0 ]
