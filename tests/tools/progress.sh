# Long work shows on a terminal how far it is, in one line that is gone in the end, and elsewhere says nothing of it: compare, bench, marks, report.
. "$(dirname "$0")/shared.inc"
command -v script > /dev/null || { echo "skipped: no script to make a terminal with"; exit 0; }
mkdir -p "$scratch/bench/dotnet"
cd "$scratch/bench/dotnet"
echo one > lib.so
# Works from a heap of 40 MB on.
cat > work.sh <<'END'
[ $((0x${DOTNET_GCHeapHardLimit:-7fffffff})) -ge 40000000 ] || exit 3
if [ -n "${DOTNET_GCPath:-}" ]; then
  log=${GARNER##*log=}
  echo '{"event":"heap_ready","pid":1}' >> "${log%%,*}"
fi
echo '{"checksum":"5f","gc":{"pause_total_ms":4,"pause_max_ms":2}}'
END
cat > quick.bench <<END
[workload]
name = quick
stresses = Nothing much.
command = sh $PWD/work.sh {parameters}
[small]
parameters = n=1
least_mb = 40
END
awk 'BEGIN { for (i = 1; i <= 21000; i++) printf "{\"event\":\"cycle_end\",\"pid\":7,\"index\":%d,\"start_ns\":%.0f,\"pause_ns\":1000000,\"kind\":\"young1\",\"cause\":\"eden_full\",\"heap_before\":9000000,\"heap_after\":1000000}\n", i, i * 20000000 }' > long.log

erase=$(printf '\r\033[K')
# shows NAME "ARGUMENTS" WORDS…: each of the words stands on a line of progress of that command on a terminal; the last such line is empty, and in a pipe there is none.
shows() {
  name=$1 arguments=$2
  shift 2
  code=0
  TERM=xterm script -qefc "'$garner' $arguments" drawn > /dev/null 2>&1 < /dev/null || code=$?
  [ $code = 0 ] || fail "$name on a terminal: exit code $code: $(tail -c 400 drawn)"
  for words in "$@"; do grep -qF "$erase$words" drawn || fail "$name: no progress '$words': $(cat -v drawn | head -c 2000)"; done
  tr '\r' '\n' < drawn | grep -F "$(printf '\033[K')" | tail -n 1 | grep -q "^$(printf '\033')\[K[^:]*\$" || fail "$name: its progress stays: $(cat -v drawn | tail -c 400)"
  # shellcheck disable=SC2086 # words are arguments
  "$garner" $arguments > out 2> err || fail "$name in a pipe: $(cat err)"
  ! grep -qF "$(printf '\033')" out err || fail "$name in a pipe: $(cat -v err)"
}
shows compare "compare --lib lib.so --warmup 1 --runs 2 --with stock-workstation --at 2 -- sh work.sh" \
  'compare: reference run' 'compare: minimum heap: trying ' 'compare at 2: warm-up 1 of 1: garner' 'compare at 2: run 2 of 2: stock-workstation'
shows bench "bench quick --bench-dir $PWD --size small --modes stock-workstation,stock-server --runs 2 --at 2 --search-again" 'quick: reference run' 'quick: minimum heap: trying 40.0 MB' 'quick at 2: run 2 of 2: stock-server'
rm -rf "$scratch/build"
shows marks "marks stopped --bench-dir $PWD --lib $PWD/lib.so --size small --workloads quick --at 2 --runs 1 --again" 'quick: minimum heap: trying ' 'quick at 2: run 1 of 1: '
shows report "report long.log -o page.html" 'report: drawing'
