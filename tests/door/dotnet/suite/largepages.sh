#!/usr/bin/env bash
# DOTNET_GCLargePages: the heap lies on pages that the system has set aside, all taken at start, and works as on ordinary ones; without a limit or without
# enough pages the process is refused with one line. Setting pages aside needs a privilege; where it is missing one line says so.
# Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
POOL=/proc/sys/vm/nr_hugepages LIMIT=0x8000000 PAGES=64 HOLD="hold live=40 churn=300"
export DOTNET_GCPath=$LIB DOTNET_GCLargePages=1
refused() { # SENTENCE, environment
  local sentence=$1; shift
  env "$@" timeout 60 dotnet "$ENDURANCE" $HOLD >"$DIR/out" 2>"$DIR/log" && { miss "it ran: $*" "$DIR/out"; return; }
  if grep -qF "$sentence" "$DIR/log"; then pass; else miss "'$sentence' was not said" "$DIR/log"; fi
}
refused "GCLargePages needs a limit" A=A
FREE=$(awk '/^HugePages_Free/ {print $2}' /proc/meminfo)
[ "$FREE" -lt $PAGES ] && refused "has not set aside enough large pages" DOTNET_GCHeapHardLimit=$LIMIT
BEFORE=$(cat $POOL)
if [ "$FREE" -lt $PAGES ] && ! { echo $((BEFORE + PAGES)) >$POOL; } 2>/dev/null; then
  say "skipped: no privilege to set large pages aside"
  finish
fi
trap 'echo "$BEFORE" >$POOL 2>/dev/null; rm -rf "$DIR"' EXIT
if [ "$(awk '/^HugePages_Free/ {print $2}' /proc/meminfo)" -lt $PAGES ]; then
  say "skipped: the system's memory is too scattered for $PAGES large pages"
  finish
fi
EXPECTED=$(env -u DOTNET_GCPath -u DOTNET_GCLargePages timeout 120 dotnet "$ENDURANCE" $HOLD | sed -n 's/^checksum //p')
for options in GARNER= "GARNER=workers=2,woken_per=0,verify=both" "GARNER=trim=on,poison=on,workers=2,stress_every=200"; do
  DOTNET_GCHeapHardLimit=$LIMIT timeout 180 env "$options" dotnet "$ENDURANCE" $HOLD >"$DIR/out" 2>"$DIR/log" &
  RUN=$! LEAST=$PAGES
  while kill -0 $RUN 2>/dev/null; do
    NOW=$(awk '/^HugePages_Free/ {f=$2} /^HugePages_Rsvd/ {r=$2} END {print f - r}' /proc/meminfo)
    [ "$NOW" -lt "$LEAST" ] && LEAST=$NOW
    sleep 0.05
  done
  wait $RUN || miss "$options" "$DIR/log"
  if [ "$(sed -n 's/^checksum //p' "$DIR/out")" = "$EXPECTED" ]; then pass; else miss "$options: checksum" "$DIR/log"; fi
  if [ "$LEAST" -le 0 ]; then pass; else miss "$options: $LEAST of $PAGES large pages were never taken"; fi
done
DOTNET_GCHeapHardLimit=$LIMIT timeout 120 dotnet "$ENDURANCE" fill >"$DIR/out" 2>"$DIR/log" && pass || miss "filled up" "$DIR/log"
finish
