#!/usr/bin/env bash
# Limits, as the system sees them: with a hard limit, and in a memory control group without any setting, the process stays within, knows how
# much it may use, fills that up to an OutOfMemoryException and lives on. Where no control group can be made, those rows are left out with one
# line. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
OUT=$(mktemp) && LOG=$(mktemp) && TOLD=$(mktemp) && trap 'rm -f "$OUT" "$LOG" "$TOLD"' EXIT
MB=$((1024 * 1024))
HOLD="hold live=90 churn=400"
RUNTIME=$((45 * MB)) # the runtime, code, stacks: an empty program takes 28 MiB
LIST=$((32 * MB))    # the list that "fill" keeps its arrays in
value() { sed -n "s/^$1 //p" "$OUT"; }
measure() { # command …: its output in OUT; fails when it fails
  DOTNET_GCPath=$LIB GARNER=${OPTIONS:-} timeout 120 "$@" >"$OUT" 2>"$LOG"
  local code=$?
  [ $code -eq 0 ] || { miss "$*: exit code $code" "$LOG"; return 1; }
}
within() { # WHAT, VALUE, LEAST, MOST
  if [ -n "$2" ] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then pass; else miss "$1 is ${2:-missing}, expected from $3 to $4"; fi
}
same() { if [ -n "$2" ] && [ "$2" = "$3" ]; then pass; else miss "$1 is ${2:-missing}, expected $3"; fi; }

# Without a limit the same program takes more than any row allows: else the rows would prove nothing. Eden follows the pauses, which are longer beside other programs: once in three times will do.
for try in 1 2 3; do
  OPTIONS=old_growth=100 measure dotnet "$ENDURANCE" $HOLD || break
  [ "$(value peak)" -ge $((240 * MB)) ] && break
done
within "peak without a limit" "$(value peak)" $((240 * MB)) $((4096 * MB))
CHECKSUM=$(value checksum)

limited() { # LABEL, what the collector may use, most resident bytes, command …
  local label=$1 limit=$2 most=$3 one; shift 3
  measure "$@" dotnet "$ENDURANCE" $HOLD && {
    same "$label: checksum" "$(value checksum)" "$CHECKSUM"
    same "$label: what it may use" "$(value available)" "$limit"
    within "$label: resident at most" "$(value peak)" $((70 * MB)) "$most"
  }
  measure "$@" dotnet "$ENDURANCE" fill && {
    for one in $(value filled); do within "$label: filled up" $((one + LIST)) $((limit * 85 / 100)) "$limit"; done
    within "$label: resident at most, filled up" "$(value peak)" $((limit * 85 / 100)) "$most"
  }
}
# Lists of finalizable objects are the collector's own memory and count.
measure env DOTNET_GCHeapHardLimit=0x8000000 dotnet "$ENDURANCE" finalizable count=1800000 && within "1.8 M finalizable objects: resident at most" "$(value peak)" $((70 * MB)) $((128 * MB + RUNTIME))
# Of small ones a quarter of the limit is that list, which asks before it grows; what becomes ready needs no more of it. Memory ends three times, and each time all of them are finalized.
for limit in 0x1000000 0x4000000; do
  for marking in stopped concurrent; do
    : >"$TOLD"
    OPTIONS=marking=$marking,log=$TOLD,log_format=json measure env DOTNET_GCHeapHardLimit=$limit dotnet "$ENDURANCE" crowded && {
      same "crowded by finalizable objects, $limit, $marking: survived, forgotten" "$(value survived) $(value forgotten)" "3 0"
      within "crowded by finalizable objects, $limit, $marking: committed at most" "$(sed -n 's/.*"committed":\([0-9]*\).*/\1/p' "$TOLD" | sort -n | tail -1)" $((limit * 85 / 100)) $((limit))
    }
  done
done
# Handles, which nothing collects for, take free memory's place.
measure env DOTNET_GCHeapHardLimit=0x4000000 dotnet "$ENDURANCE" handles live=20 mb=24 && {
  within "24 MB of handles: the process grows by" "$(value grown)" 0 $((14 * MB))
  within "24 MB of handles: resident at most" "$(value peak)" $((70 * MB)) $((64 * MB + RUNTIME))
}
# What only waits for its finalizer is no reason to refuse anything: its thread is given time, which a busy machine may keep from it: once in three times will do.
for limit in 0x2000000 0x8000000; do
  for try in 1 2 3; do measure env DOTNET_GCHeapHardLimit=$limit dotnet "$ENDURANCE" finalized && [ "$(value refused)" != 0 ] || break; done
  same "refused where all wait for finalizers" "$(value refused)" 0
done
# A finalizer that does not end, and others behind it: memory ends five times, and each time its handler can allocate.
for workers in 1 2 4; do
  OPTIONS=workers=$workers measure env DOTNET_GCHeapHardLimit=0x6000000 dotnet "$ENDURANCE" stuck rounds=5 && {
    same "finalizers begun, of those that wait, workers=$workers" "$(value begun) $(value ended)" "1 0"
    same "rounds survived with a finalizer that does not end, workers=$workers" "$(value survived)" 5
    same "finalized once they could be, workers=$workers" "$(value finalized)" 10
  }
done
# What a region without collections was granted one array takes whole, near the limit too.
measure env DOTNET_GCHeapHardLimit=0x6400000 dotnet "$ENDURANCE" promised && {
  same "regions without collections that held what they promised" "$(value held)" 6
  same "regions granted" "$(value granted)" 6
}
limited "hard limit" $((160 * MB)) $((160 * MB + RUNTIME)) env DOTNET_GCHeapHardLimit=0xA000000
limited "hard limit, server" $((160 * MB)) $((160 * MB + RUNTIME)) env DOTNET_gcServer=1 DOTNET_GCHeapHardLimit=0xA000000
OPTIONS=limit=160m limited "heap.limit" $((160 * MB)) $((160 * MB + RUNTIME)) env A=A

# A control group below our own one, so that nothing leaves what this process is accounted to.
GROUP=
group() { # BYTES
  local line mount own
  while IFS= read -r line; do
    own=${line#*:*:}
    case $line in
      *:memory:*) mount=/sys/fs/cgroup/memory file=memory.limit_in_bytes ;;
      0::*) mount=/sys/fs/cgroup file=memory.max ;;
      *) continue ;;
    esac
    mkdir "$mount${own%/}/garner-test-$$" 2>/dev/null || continue
    GROUP=$mount${own%/}/garner-test-$$
    [ -e "$GROUP/$file" ] && echo "$1" 2>/dev/null >"$GROUP/$file" && sh -c "echo \$\$ >'$GROUP/cgroup.procs'" 2>/dev/null && return 0
    rmdir "$GROUP"
    GROUP=
  done </proc/self/cgroup
  return 1
}
CONTAINER=$((240 * MB))
if group $CONTAINER; then
  trap 'rm -f "$OUT" "$LOG" "$TOLD"; rmdir "$GROUP"' EXIT
  export GROUP
  limited "control group" $((CONTAINER / 100 * 75)) $CONTAINER sh -c 'echo $$ >"$GROUP/cgroup.procs" && exec "$@"' sh
  limited "control group and percent" $((CONTAINER / 100 * 60)) $CONTAINER sh -c 'echo $$ >"$GROUP/cgroup.procs" && DOTNET_GCHeapHardLimitPercent=0x3C exec "$@"' sh
else
  say "skipped: no writable cgroup"
fi
finish
