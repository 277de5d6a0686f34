#!/usr/bin/env bash
# How many threads the collector makes, and on which processors they run: heap count, affinity mask and ranges, taskset. Worker 0 is the
# thread that collects, so N workers are N - 1 threads. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
LOG=$(mktemp) && trap 'rm -f "$LOG"' EXIT
all=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
first=${all%%[-,]*} last=${all##*[-,]}
processors=$(dotnet "$ENDURANCE" processors) # what the runtime may use: a container's quota counts, which nproc does not know
entries=100000 # 40 MB
reference() { checksum=$(dotnet "$ENDURANCE" workers entries=$entries | grep checksum) || fail "workers fails on the runtime's own collector"; }
reference
row() { # THREADS, PROCESSORS ("" when there are no threads), what stderr must have ("" for nothing), environment and command
  local threads=$1 where=$2 says=$3 found expected; shift 3
  found=$(env DOTNET_GCPath="$LIB" "$@" timeout 60 dotnet "$ENDURANCE" workers entries=$entries 2>"$LOG")
  expected="threads $threads"$'\n'"${where:+processors $where$'\n'}$checksum"
  if [ "$found" = "$expected" ] && { [ -n "$says" ] && [ "$(grep -c "$says" "$LOG")" = 1 ] || [ -z "$says" -a ! -s "$LOG" ]; }; then pass
  else miss "$*: '${found//$'\n'/; }', expected '${expected//$'\n'/; }'${says:+ and once \"$says\"}" "$LOG"; fi
}
mask() { printf '0x%x' $((1 << $1)); } # the mask of one of the first 63 processors
# By default a heap whose collection by one slow thread takes four pause goals has a thread more, which marks; these rows are about the others.
# Where threads are as many as processors each is bound to one of its own (work.seats); the rows that ask where threads may run leave that out.
free=GARNER=woken_per=0,marking=stopped wake=GARNER=woken_per=0,marking=stopped,seats=off
row $((processors - 1)) "$([ $processors -gt 1 ] && echo "$all")" "" $wake
row 3 "$all" "" $wake,workers=4
row 0 "" "" $wake DOTNET_GCHeapCount=1
row 1 "$all" "" GARNER=woken_per=0,marking=concurrent DOTNET_GCHeapCount=1 # the thread that marks
row 0 "" "" $wake DOTNET_gcServer=1 DOTNET_GCHeapCount=1
row $((processors - 1)) "$([ $processors -gt 1 ] && echo "$all")" "" $wake DOTNET_GCHeapCount=40 # more than there are processors: those
row 0 "" "" $wake DOTNET_GCHeapAffinitizeMask="$(mask "$first")"
row 0 "" "" $wake DOTNET_GCHeapAffinitizeRanges="$first"
row 0 "" "" $wake DOTNET_PROCESSOR_COUNT=1
row 0 "" "" $wake taskset -c "$last"
row 2 "$first" "" $wake,workers=3 DOTNET_GCHeapAffinitizeMask="$(mask "$first")"
row 2 "$last" "" $wake,workers=3 DOTNET_GCHeapAffinitizeRanges="$last-$last"
row 2 "$last" "" $wake,workers=3 taskset -c "$last"
row $((processors - 1)) "$([ $processors -gt 1 ] && echo "$all")" "are ignored" $wake DOTNET_GCNoAffinitize=1 DOTNET_GCHeapAffinitizeMask="$(mask "$first")"
row $((processors - 1)) "$([ $processors -gt 1 ] && echo "$all")" "" $free DOTNET_GCNoAffinitize=1
seated() { # how many threads have a processor of their own, environment
  local count=$1 found; shift
  found=$(env DOTNET_GCPath="$LIB" "$@" timeout 60 dotnet "$ENDURANCE" workers entries=$entries 2>"$LOG")
  if [ "$(grep -cE '^processors [0-9]+$' <<<"$found")" = "$count" ] && grep -qx "threads $count" <<<"$found" && grep -qx "$checksum" <<<"$found" && [ ! -s "$LOG" ]; then pass
  else miss "$*: '${found//$'\n'/; }', expected $count threads on as many processors" "$LOG"; fi
}
if [ $processors -gt 1 ] && [ $processors -le 64 ] && [ $processors = "$(nproc)" ] && [ "$(cat /sys/devices/system/node/online 2>/dev/null || echo 0)" = 0 ]; then
  seated $((processors - 1)) $free
  seated $((processors - 1)) $free,seats=on DOTNET_GCNoAffinitize=1 # our own option, given, wins
fi
# What cannot be honoured is said once.
row 0 "" "names no processor" $wake DOTNET_GCHeapAffinitizeMask=0x4000000000000000 taskset -c "$last"
refused() { # what stderr must have, environment
  local says=$1 code; shift
  env DOTNET_GCPath="$LIB" "$@" timeout 60 dotnet "$ENDURANCE" workers >"$LOG" 2>&1
  code=$?
  if [ $code -ne 0 ] && [ $code -ne 124 ] && [ "$(grep -c "$says" "$LOG")" = 1 ]; then pass; else miss "$*: exit code $code, expected a refusal with '$says'" "$LOG"; fi
}
for ranges in x 3-1 1- 0,,1 5000 '0 1'; do refused "GCHeapAffinitizeRanges is malformed" DOTNET_gcServer=1 DOTNET_GCHeapAffinitizeRanges="$ranges"; done
# Without gcServer stock does not read it, so it stops no program.
row 0 "" "GCHeapAffinitizeRanges is malformed.*it is ignored" $wake DOTNET_GCHeapAffinitizeMask="$(mask "$first")" DOTNET_GCHeapAffinitizeRanges=1-
# As it comes, with a heap so small that no marking could be worth it: no thread that marks.
entries=2000
reference
row 0 "" "" GARNER=woken_per=0 DOTNET_GCHeapCount=1
row 0 "" "" GARNER=woken_per=0 taskset -c "$last"
finish
