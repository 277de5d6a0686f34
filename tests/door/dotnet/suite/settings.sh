#!/usr/bin/env bash
# Stock settings that a conformance program cannot show: those whose effect differs from stock's, those in runtimeconfig.json, what is said of
# settings without effect, what is refused. And that the conformance programs notice when a setting is not in force: each is run with an
# option of ours that overrides it, and must fail. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
build_dotnet "$ROOT/bench/dotnet/workloads"
build_dotnet "$ROOT/tests/door/dotnet/conformance"
CONFORMANCE=$ROOT/build/tests/dotnet/conformance/bin/Conformance.dll
OUT=$(mktemp -d) && trap 'rm -rf "$OUT"' EXIT
LOG=$OUT/log
garner() { DOTNET_GCPath=$LIB timeout 60 env "$@" 2>"$LOG"; } # [assignments] command …

# ---- conformance programs without any option of ours, and with one against the setting
behaviour() { # NAME, setting, an option that overrides it
  local name=$1 setting=$2 against=$3 last
  last=$(garner "$setting" dotnet "$CONFORMANCE" "$name" | tail -n 1)
  if [ "$last" = "ok $name" ]; then pass; else miss "$name with $setting: '$last'" "$LOG"; fi
  [ -n "$against" ] || return
  last=$(garner "$setting" "GARNER=$against" dotnet "$CONFORMANCE" "$name" | tail -n 1)
  if [ "$last" = "failed $name" ]; then pass; else miss "$name does not notice that $against overrides $setting: '$last'" "$LOG"; fi
}
behaviour setting-gen0size DOTNET_GCgen0size=0x400000 eden=64m
behaviour setting-gen0size-large DOTNET_GCgen0size=0x10000000 eden=1m,resize=fixed
behaviour setting-gen0-max-budget DOTNET_GCGen0MaxBudget=0x200000 eden_max=64m
behaviour setting-conserve-memory DOTNET_GCConserveMemory=0x7 conserve=0
behaviour setting-retain-vm DOTNET_GCRetainVM=1 retain=off
behaviour setting-heap-count DOTNET_GCHeapCount=0x1 ""
behaviour setting-hard-limit DOTNET_GCHeapHardLimit=0x10000000 limit=400m

# ---- effects
within() { # NAME of the printed value, LEAST, MOST, [assignments] command …
  local what=$1 least=$2 most=$3 value; shift 3
  value=$(garner "$@" | sed -n "s/^$what //p")
  if [ -n "$value" ] && [ "$value" -ge "$least" ] && [ "$value" -le "$most" ]; then pass; else miss "$*: $what is ${value:-missing}, expected from $least to $most" "$LOG"; fi
}
# Without a setting eden is small at first, and grows as long as that is cheap: 5 to 9, and 25 where it seems never to be, on a busy machine. One of 1 or 2 MB makes it 40 or more.
within young 0 30 dotnet "$ENDURANCE" garbage mb=100
within young 40 120 DOTNET_GCGen0MaxBudget=0x200000 dotnet "$ENDURANCE" garbage mb=100
within young 90 120 DOTNET_GCgen0size=0x100000 dotnet "$ENDURANCE" garbage mb=100
within young 80 240 GARNER=eden_max=1m dotnet "$ENDURANCE" garbage mb=100
within young 20 30 DOTNET_GCgen0size=0x400000 DOTNET_GCHeapHardLimit=0x8000000 dotnet "$ENDURANCE" garbage mb=100
within young 0 30 DOTNET_GCgen0size=0x100000 GARNER=eden=16m dotnet "$ENDURANCE" garbage mb=100
# Without a limit a program of 20 MB takes little more, where full collections may take what they take and their pauses be as long as they are (by default they take a seventh of its time, about as much as they may, and how fast the machine is decides: 73 to 87 MB); its eden is as large as the cache at first otherwise (93 MB where that has 16), and old space doubles.
peak() { # LEAST, MOST MB, [assignments]
  local least=$1 most=$2 value; shift 2
  value=$(garner "$@" dotnet "$ROOT/build/bench/dotnet/workloads/Workloads.dll" hello megabytes=20 replacements=2000000 seed=1 | sed -n 's/.*"peak_rss_bytes":\([0-9]*\)[0-9]\{6\}.*/\1/p')
  if [ -n "$value" ] && [ "$value" -ge "$least" ] && [ "$value" -le "$most" ]; then pass; else miss "hello megabytes=20 $*: peak memory is ${value:-missing} MB, expected from $least to $most" "$LOG"; fi
}
peak 50 84 GARNER=gc_share=90,pause_goal=1000
peak 85 125 GARNER=gc_share=90,pause_goal=1000,lean=off,eden=16m
# Nor does eden hold less of objects of which half a buffer or a quarter of one would be lost.
for bytes in 16360 10900 8168; do within young 20 28 DOTNET_GCgen0size=0x400000 DOTNET_GCHeapHardLimit=0x8000000 dotnet "$ENDURANCE" garbage mb=100 bytes=$bytes; done
sed 's/"configProperties": *{/&"System.GC.Gen0MaxBudget": 2097152,/' "${ENDURANCE%.dll}.runtimeconfig.json" >"$OUT/budget.runtimeconfig.json"
within young 40 120 dotnet exec --runtimeconfig "$OUT/budget.runtimeconfig.json" --depsfile "${ENDURANCE%.dll}.deps.json" "$ENDURANCE" garbage mb=100
export DOTNET_GCgen0size=0x400000 # so that nearly everything that is replaced has grown old; how many collections there are with marking beside depends on how long the first ones took
within full 2 4 GARNER=marking=stopped dotnet "$ENDURANCE" replace mb=240
within full 6 14 DOTNET_GCConserveMemory=7 GARNER=marking=stopped dotnet "$ENDURANCE" replace mb=240
within full 2 4 DOTNET_GCConserveMemory=7 GARNER=conserve=0,marking=stopped dotnet "$ENDURANCE" replace mb=240
unset DOTNET_GCgen0size
within full 2 3 dotnet "$ENDURANCE" untouched # lack of memory is what does not hold them back
within most 20 130 GARNER=old_growth=100,marking=stopped dotnet "$ENDURANCE" queue # what survives requests for generation 0 piles up no further than is worth a look at generation 1
# A program at rest gives back its garbage and its free memory, and is then left alone; marked beside it in two pauses.
within rested 40 140 GARNER=idle=1,marking=stopped dotnet "$ENDURANCE" idle
within rested 280 600 GARNER=idle=0 dotnet "$ENDURANCE" idle
within rested 280 600 GARNER=idle=1 DOTNET_GCRetainVM=1 dotnet "$ENDURANCE" idle
within rested 40 140 GARNER=idle=1,marking=concurrent,log="$OUT/rest.log",log_format=json dotnet "$ENDURANCE" idle seconds=8
portions=$(grep '"event":"cycle_end"' "$OUT/rest.log" | grep '"cause":"moves"' | grep -vc '"moved":0,') # nobody allocates, so they come by themselves
if [ "$portions" -ge 3 ]; then pass; else miss "$portions portions of what is sparse were moved at rest, expected 3 or more" "$OUT/rest.log"; fi
within collections 1 1 GARNER=idle=1,marking=stopped dotnet "$ENDURANCE" idle seconds=6
# What a finalizer has let go of is garbage at the next look, but one that makes itself work for the next is no reason for a third, nor, when that is known, for a second.
within rested 40 140 GARNER=idle=1,marking=stopped dotnet "$ENDURANCE" idle seconds=6 finalizers=1
within collections 2 2 GARNER=idle=1,marking=stopped dotnet "$ENDURANCE" idle seconds=8 finalizers=2
within collections 1 1 GARNER=idle=1,marking=stopped dotnet "$ENDURANCE" idle seconds=6 finalizers=2 rests=2
# With all free memory the pages go back that a full collection has touched of the tables beside it.
within resident 15 55 GARNER=marking=stopped dotnet "$ENDURANCE" aggressive
# What may be kept for growth and for eden is given: by itself it is up to eight times as much where collections take long, as on a busy machine.
given=old_growth=50,marking=stopped,eden=4m,resize=fixed
within kept 400 900 DOTNET_GCRetainVM=1 GARNER=$given dotnet "$ENDURANCE" release
within kept 0 240 GARNER=$given dotnet "$ENDURANCE" release
within kept 0 240 DOTNET_GCRetainVM=1 GARNER=retain=off,$given dotnet "$ENDURANCE" release

# ---- huge pages: only when they are asked for, and then there are some
huge() { # LEAST, MOST kB of them at any time, [assignments]
  local least=$1 most=$2 seen=0 now turns=600; shift 2
  env DOTNET_GCPath="$LIB" "$@" dotnet "$ENDURANCE" hold live=150 churn=1500 >"$OUT/out" 2>"$LOG" &
  local runs=$!
  for (( ; turns > 0; turns--)); do
    now=$(awk '/^AnonHugePages/ {sum += $2} END {print sum + 0}' /proc/$runs/smaps 2>/dev/null)
    [ "${now:-0}" -le "$seen" ] || seen=$now
    kill -0 $runs 2>/dev/null || break
    sleep 0.1
  done
  [ $turns -gt 0 ] || kill $runs
  if wait $runs && [ "$seen" -ge "$least" ] && [ "$seen" -le "$most" ]; then pass; else miss "$*: $seen kB in huge pages, expected from $least to $most" "$LOG"; fi
}
case $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null) in
  *'[madvise]'*)
    huge 0 0 GARNER=log=stderr
    huge 2048 1000000 GARNER=huge_pages=auto
    huge 20480 1000000 GARNER=huge_pages=on
    ;;
  *) say "skipped: 3 rows of huge pages, which this system does not give to who asks" ;;
esac

# ---- old collections beside the program: where stopping would take more than eight pause goals, unless somebody says otherwise
marked() { # yes or no, [assignments]
  local expected=$1 count; shift
  garner "$@" dotnet "$WORKLOADS" dictionary entries=1000000 updates=1200000 threads=2 >"$OUT/out"
  count=$(grep -c ' full marked' "$LOG")
  if grep -q '"checksum"' "$OUT/out" && if [ "$expected" = yes ]; then [ "$count" -gt 0 ]; else [ "$count" = 0 ] && grep -q ' full ' "$LOG"; fi; then pass; else miss "dictionary with $*: $count collections beside the program" "$LOG"; fi
}
marked yes GARNER=log=stderr,pause_goal=1
marked no GARNER=log=stderr,pause_goal=1000
marked no GARNER=log=stderr,pause_goal=1,marking=stopped
marked no DOTNET_gcConcurrent=0 GARNER=log=stderr,pause_goal=1
marked yes DOTNET_gcConcurrent=0 GARNER=log=stderr,pause_goal=1,marking=auto
marked yes GARNER=log=stderr,pause_goal=1000,marking=concurrent

# ---- what is said, once; and nothing where nothing is asked
says() { # text that the one line on stderr has ("" for no line), [assignments]
  local text=$1 code; shift
  garner "$@" dotnet "$ENDURANCE" processors >"$OUT/out"
  code=$?
  if [ $code -eq 0 ] && if [ -z "$text" ]; then [ ! -s "$LOG" ]; else [ "$(wc -l <"$LOG")" = 1 ] && grep -qF "$text" "$LOG"; fi; then pass
  else miss "$*: exit code $code, expected '${text:-nothing}' on stderr" "$LOG"; fi
}
for setting in GCMaxHeapCount=1 GCgen1size=0x100000 GCGen1MaxBudget=0x100000 GCDynamicAdaptationMode=0 GCDTargetTCP=5 GCLOHCompact=1 gcForceCompact=1 \
               GCSegmentSize=0x1000000 GCEnableSpecialRegions=1 GCLatencyLevel=0 GCStress=1; do
  says "settings without effect here: ${setting%%=*}" "DOTNET_$setting"
done
says "settings without effect here: GCMaxHeapCount, GCLatencyLevel" DOTNET_GCMaxHeapCount=1 DOTNET_GCLatencyLevel=0
says "" DOTNET_GCMaxHeapCount=0 DOTNET_GCDynamicAdaptationMode=1 DOTNET_GCNumaAware=0 DOTNET_GCLatencyLevel=1 DOTNET_GCStress=0 CORECLR_ENABLE_PROFILING=0
says "" GARNER=notices=off DOTNET_GCMaxHeapCount=1 DOTNET_GCgen0size=0x1000
says "GCgen0size is below 64 KB" DOTNET_GCgen0size=0x1000
says "GCHeapHardLimitPercent is not between 1 and 99" DOTNET_GCHeapHardLimitPercent=0x64
says "GCTotalPhysicalMemory is below 4 MB" DOTNET_GCTotalPhysicalMemory=1
says "a profiler is not told which objects moved" CORECLR_ENABLE_PROFILING=1 "CORECLR_PROFILER={cf0d821e-299b-5307-a3d8-b283c03916dd}" CORECLR_PROFILER_PATH=/nonexistent.so

# ---- what is refused
refused() { # [assignments]
  local code
  garner "$@" dotnet "$ENDURANCE" processors >"$OUT/out"
  code=$?
  if [ $code -ne 0 ] && [ $code -ne 124 ] && [ ! -s "$OUT/out" ] && [ "$(grep -c "garner: a memory limit below 4 MB" "$LOG")" = 1 ]; then pass
  else miss "$*: exit code $code, expected a refusal" "$LOG"; fi
}
refused DOTNET_GCHeapHardLimit=0x300000
refused GARNER=limit=3m
says "" DOTNET_GCHeapHardLimit=0x400000
finish
