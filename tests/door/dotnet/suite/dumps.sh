#!/usr/bin/env bash
# A program that dies leaves a dump: the runtime's own writer makes each kind in reasonable time and size, though hundreds of gigabytes of
# address space are reserved, and a core of the system is as small. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
MOST=$((1024 * 1024 * 1024)) # bytes; the reservation is 256 times that
export DOTNET_GCPath=$LIB
for kind in 1 2 3 4; do # small, heap, triage, full
  began=$SECONDS
  DOTNET_DbgEnableMiniDump=1 DOTNET_DbgMiniDumpType=$kind DOTNET_DbgMiniDumpName=$DIR/dump timeout 180 dotnet "$ENDURANCE" crash >"$DIR/log" 2>&1 || true
  if [ -s "$DIR/dump" ] && [ $((SECONDS - began)) -lt 150 ]; then pass; else miss "dump of kind $kind was not written in 150 s" "$DIR/log"; fi
  bytes=$(stat -c %s "$DIR/dump" 2>/dev/null || echo $MOST)
  if [ "$bytes" -lt $MOST ]; then pass; else miss "dump of kind $kind has $bytes bytes"; fi
  rm -f "$DIR/dump"
done
case $(cat /proc/sys/kernel/core_pattern) in
  core)
    (cd "$DIR" && ulimit -c unlimited 2>/dev/null && DOTNET_DbgEnableMiniDump=0 timeout 60 dotnet "$ENDURANCE" crash >"$DIR/log" 2>&1)
    bytes=$(stat -c %s "$DIR"/core* 2>/dev/null | head -n 1)
    if [ "${bytes:-$MOST}" -lt $MOST ]; then pass; else miss "the system's core has ${bytes:-no} bytes" "$DIR/log"; fi ;;
  *) say "skipped: cores do not go to files here" ;;
esac
finish
