#!/usr/bin/env bash
# A machine whose memory is nearly used up, without any limit: old space grows less before it is collected. The machine is made short by a
# /proc/meminfo of our own in a mount namespace; where that is not allowed one line says so. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
MB=$((1024 * 1024))
memory() { printf 'MemTotal: 16777216 kB\nMemFree: %d kB\nMemAvailable: %d kB\nBuffers: 0 kB\nCached: 0 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n' "$1" "$1" >"$DIR/meminfo"; }
peak() { # peak resident bytes of a program that keeps 200 MB and replaces much
  unshare -m sh -c 'mount --bind "$1" /proc/meminfo && shift && exec "$@"' sh "$DIR/meminfo" \
    env DOTNET_GCPath="$LIB" timeout 120 dotnet "$ENDURANCE" hold live=200 churn=1500 >"$DIR/out" 2>"$DIR/log" || { miss "the program failed" "$DIR/log"; return; }
  sed -n 's/^peak //p' "$DIR/out"
}
memory 8000000
if unshare -m sh -c 'mount --bind "$1" /proc/meminfo' sh "$DIR/meminfo" 2>/dev/null; then
  AMPLE=$(peak)
  memory 400000
  SHORT=$(peak)
  say "peak with memory to spare: $((AMPLE / MB)) MB, without: $((SHORT / MB)) MB"
  if [ -n "$AMPLE" ] && [ -n "$SHORT" ] && [ $((SHORT * 100)) -lt $((AMPLE * 85)) ]; then pass; else miss "peak ${SHORT:-missing} is not well below ${AMPLE:-missing}"; fi
else
  say "skipped: no mount namespace"
fi
finish
