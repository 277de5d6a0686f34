#!/usr/bin/env bash
# A machine whose memory is nearly used up, without any limit, and a container that is nearly full of what is not the heap's: old space grows less before it is
# collected. They are made short by a /proc/meminfo and a /sys/fs/cgroup of our own in a mount namespace; where that is not allowed one line says so. Arguments: --lib PATH. Ends with "N passed, N failed".
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
  # As both kinds of control groups say it. Of the same use much is pages of files in the third case, which the system drops first.
  contained() { # MB in use, MB of them file pages: the peak
    unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory && cd /sys/fs/cgroup || exit 1
      echo 1073741824 | tee memory.max >memory/memory.limit_in_bytes
      echo $(($1 * 1048576)) | tee memory.current >memory/memory.usage_in_bytes
      printf "anon 5\nfile 7\ninactive_anon 1\ninactive_file %d\n" $(($2 * 1048576)) >memory.stat
      printf "cache 7\ninactive_file 3\ntotal_inactive_file %d\n" $(($2 * 1048576)) >memory/memory.stat
      shift 2 && exec "$@"' sh "$1" "$2" \
      env DOTNET_GCPath="$LIB" timeout 120 dotnet "$ENDURANCE" hold live=200 churn=1500 >"$DIR/out" 2>"$DIR/log" || { miss "the program failed in a container" "$DIR/log"; return; }
    sed -n 's/^peak //p' "$DIR/out"
  }
  if grep -qE '^0::|:memory:' /proc/self/cgroup; then
    ROOMY=$(contained 300 0) FULL=$(contained 980 0) CACHED=$(contained 980 700)
    say "peak in a container with memory to spare: $((ROOMY / MB)) MB, in a full one $((FULL / MB)) MB, in one full of files' pages $((CACHED / MB)) MB"
    if [ $((FULL * 100)) -lt $((ROOMY * 75)) ]; then pass; else miss "peak in a full container ${FULL:-missing} is not well below ${ROOMY:-missing}"; fi
    if [ $((CACHED * 2)) -gt $((ROOMY + FULL)) ]; then pass; else miss "peak beside files' pages ${CACHED:-missing} is not that of a container with memory to spare"; fi
  else
    say "skipped: no control groups"
  fi
else
  say "skipped: no mount namespace"
fi
finish
