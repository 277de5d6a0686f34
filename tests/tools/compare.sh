# `garner compare` with programs that are shell scripts: equal, different, failing, too slow, not started.
. "$(dirname "$0")/shared.inc"
cd "$scratch"
: > lib.so
compare() { # compare CODE ARGUMENTS...; output in out and err
  want=$1
  shift
  code=0
  "$garner" compare --lib lib.so --runs ${runs:-2} --warmup ${warmups:-0} "$@" >out 2>err || code=$?
  [ $code = "$want" ] || fail "compare $*: exit code $code, not $want: $(cat out err)"
}
has() { grep -qF "$1" out || fail "'$1' is not in: $(cat out)"; }

# Tells the collector's log that it was loaded, where it is.
cat > program.sh <<'END'
mode=stock
if [ -n "${DOTNET_GCPath:-}" ]; then
  mode=garner
  log=${GARNER##*log=}
  echo '{"event":"heap_ready","pid":1}' >> "${log%%,*}"
fi
echo "$mode ${DOTNET_gcServer:-} ${DOTNET_GCHeapHardLimit:-}" >> order
END

{ cat program.sh; echo 'pause=20; [ $mode = garner ] && pause=5
echo "some text $$"
echo "{\"checksum\":\"5f\",\"gc\":{\"pause_total_ms\":$pause,\"pause_max_ms\":2}}"'; } > equal.sh
compare 0 --with stock-workstation,stock-server --limit 64m --json all.json --md table.md -- sh equal.sh
has 'Output equal: checksum 5f.'
has 'garner / stock-workstation'
grep -q '^garner / stock-server  .* 0.25  *1.00$' out || fail "ratios of the pauses: $(cat out)"
ran=$(cut -d' ' -f1,2 order | tr '\n' ',') # each round goes on from who began the one before; who begins the first is chance
case $ran in
  'garner ,stock 0,stock 1,stock 0,stock 1,garner ,' | 'stock 0,stock 1,garner ,stock 1,garner ,stock 0,' | 'stock 1,garner ,stock 0,garner ,stock 0,stock 1,') ;;
  *) fail "order of the runs: $ran" ;;
esac
grep -qv ' 4000000$' order && fail "the limit is not the same for all: $(cat order)"
grep -q '"output_equal": true' all.json && grep -q '^| garner / stock-server |' table.md || fail "files written"

{ cat program.sh; echo 'echo "{\"checksum\":\"$mode\",\"gc\":{}}"'; } > different.sh
compare 1 -- sh different.sh
has "Output DIFFERS: stock and garner: 'checksum stock' and 'checksum garner'."

{ cat program.sh; echo 'echo "always the same"; echo "a line of $mode"'; } > text.sh
compare 1 -- sh text.sh
has "line 2: 'a line of stock' and 'a line of garner'"
{ cat program.sh; echo 'echo "always the same"'; } > same.sh
compare 0 -- sh same.sh
has 'Output equal: stdout, 16 bytes.'

{ cat program.sh; echo 'echo trouble here >&2; [ $mode = stock ]'; } > failing.sh
compare 1 -- sh failing.sh
has 'garner failed: exit code 1: trouble here'
{ cat program.sh; echo '[ $mode = stock ] || sleep 60'; } > slow.sh
compare 1 --timeout 3 -- sh slow.sh
has 'garner failed: killed at the time limit'

compare 1 -- true
has 'garner failed: the program never loaded the collector'
compare 127 -- no-such-program-anywhere
[ ! -s out ] && [ "$(cat err)" = "garner: 'no-such-program-anywhere' cannot be started: No such file or directory" ] || fail "no program: $(cat out err)"
compare 126 -- ./program.sh # not executable
[ ! -s out ] || fail "a table of what cannot run: $(cat out)"
{ echo '#!/bin/sh'; cat program.sh; echo 'rm vanishes.sh; echo same'; } > vanishes.sh # what was measured before is told
chmod +x vanishes.sh
compare 1 -- ./vanishes.sh
has 'cannot be started: No such file or directory'
echo 'log=${GARNER##*log=}; echo "{\"event\":\"heap_ready\",\"pid\":1}" >> "${log%%,*}"' > always.sh
compare 1 -- sh always.sh
has 'so this was not the stock collector'

{ cat program.sh; echo 'echo $mode > written.txt; echo same > also.txt'; } > files.sh
compare 0 --compare-files also.txt -- sh files.sh
compare 1 --compare-files also.txt,written.txt -- sh files.sh
has 'file written.txt'
compare 1 --compare-files nothing.txt -- sh files.sh
has 'file nothing.txt: missing'

# At multiples of the minimum heap, which is where the program still works; it works from 10,000,000 bytes on.
{ cat program.sh; echo 'limit=${DOTNET_GCHeapHardLimit:-ffffffff}; [ $((0x$limit)) -ge 10000000 ] || exit 3; pause=20; [ $mode = garner ] && pause=5
echo "{\"checksum\":\"5f\",\"gc\":{\"pause_total_ms\":$pause,\"pause_max_ms\":2}}"'; } > limited.sh
minheap() { # minheap CODE ARGUMENTS...; output in out and err
  want=$1
  shift
  code=0
  "$garner" compare --minheap "$@" >out 2>err || code=$?
  [ $code = "$want" ] || fail "compare --minheap $*: exit code $code, not $want: $(cat out err)"
}
minheap 0 -- sh limited.sh
least=$(cat out)
[ "$least" -ge 10000000 ] && [ "$least" -le 10600000 ] || fail "minimum heap $least"
: > order
runs=3 compare 0 --at 1.5,2,unlimited --json at.json --md at.md --html at.html -- sh limited.sh
least=$(sed -n 's/.*"min_heap_bytes": \([0-9]*\).*/\1/p' at.json) # searched anew, from another peak
[ "$(grep -c "$(printf '%x' $((least * 3 / 2)))\$" order)" = 6 ] && [ "$(grep -c "$(printf '%x' $((least * 2)))\$" order)" = 6 ] || fail "limits of the runs: $(cat order)"
has '1.5 times the minimum heap'
has 'without a limit'
[ "$(grep -c '95 % interval .* 0.25–0.25 .* 1.00–1.00$' out)" = 3 ] || fail "intervals: $(cat out)"
[ "$(grep -c '"at"' at.json)" = 3 ] && [ "$(grep -c '^## ' at.md)" = 3 ] || fail "files written"
grep -q '<h2>2 times the minimum heap' at.html && grep -q 'id="charts"' at.html || fail "no page, or one without charts"
grep -qE ' cores( \(.+\))?, [0-9]+ GB, .*; garner [0-9.]+</p>' at.html && grep -q '3 runs of each after 0 that do not count; garner: library ' at.html && grep -q 'no limit' at.html || fail "the page does not say how it was made"
compare 2 --at 1.5 --limit 64m -- sh limited.sh
compare 2 --at 0.5 -- sh limited.sh
compare 2 --at 2,much -- sh limited.sh
compare 2 --html same --md same -- sh limited.sh
echo 'echo $$' > unequal.sh
minheap 1 -- sh unequal.sh
grep -q 'two runs on the stock collector differ' err || fail "unequal: $(cat err)"
# An exit code means nothing of a program that is not ours; where the size means nothing there is no least one.
sed 's/exit 3/exit 4/' limited.sh > four.sh
minheap 0 -- sh four.sh
[ "$(cat out)" -ge 10000000 ] && [ "$(cat out)" -le 10600000 ] || fail "exit code 4: $(cat out err)"
minheap 1 -- true
[ ! -s out ] && grep -q "never loaded the .NET runtime's collector" err || fail "no .NET program: $(cat out err)"
for means_nothing in '--json x' '--md x' '--html x' '--at 2' '--runs 2' '--trace-pauses' '--mode wsn' '--with srv' '-o workers=1' '--lib lib.so'; do
  # shellcheck disable=SC2086 # words are arguments
  bad 'excludes' compare --minheap $means_nothing -- true
done

# What was measured until a signal is told, as what it is.
{ cat program.sh; echo 'echo run >> count; [ "$(wc -l < count)" -lt 4 ] || kill -INT $PPID; echo same'; } > interrupted.sh
runs=3 compare 130 --json interrupted.json -- sh interrupted.sh
has 'Interrupted: these are the runs until then.'
has 'Output equal: stdout, 5 bytes.'
grep -q '"interrupted": true' interrupted.json || fail "interrupted, as JSON: $(cat interrupted.json)"
sed -i 's/-lt 4/-lt 3/; s/count/second/g' interrupted.sh # before any run of the second size has ended
runs=1 compare 130 --at unlimited,unlimited -- sh interrupted.sh
has 'Interrupted before anything was measured at unlimited.'
! grep -q 'these are the runs until then' out || fail "the first size was measured whole: $(cat out)"

# This collector with other options and from other libraries, beside itself, without any stock one; each gets what is its own.
{ cat program.sh; echo 'echo "$DOTNET_GCPath $(echo ",$GARNER" | grep -o ",[a-z.]*eden=[0-9a-z]*\|,[a-z.]*workers=[0-9]*" | tr -d "\n")" >> whose
case $GARNER in *eden=8m*) pause=5 ;; *) pause=20 ;; esac
echo "{\"checksum\":\"5f\",\"gc\":{\"pause_total_ms\":$pause,\"pause_max_ms\":2}}"'; } > also.sh
: > other.so
: > order
runs=1 compare 0 --also eden=8m,lean=off --also-lib ./other.so -o workers=2 --html also.html -- sh also.sh
! grep -q stock order || fail "a stock collector was run, too: $(cat order)"
[ "$(sed "s,.*/,," whose | sort | tr '\n' ';')" = 'lib.so ,workers=2;lib.so ,workers=2,eden=8m;other.so ,workers=2;' ] || fail "whose options and libraries: $(cat whose)"
has 'garner / eden=8m,lean=off'
has 'garner / ./other.so'
grep -q 'eden=8m,lean=off: library ' also.html || fail "the page does not say what was run"
runs=1 compare 0 --also eden=8m --with stock-server -- sh also.sh
has 'garner / stock-server'
bad "'eden=8m' is given twice" compare --lib lib.so --also eden=8m --also eden=8m -- true
bad 'edem' compare --lib lib.so --also edem=8m -- true
bad 'nowhere.so' compare --lib lib.so --also-lib nowhere.so -- true
# Where nothing is named, stock as the program's settings have it; the other modes set what they are.
{ cat program.sh; echo 'echo "$mode ${DOTNET_gcServer-none} ${DOTNET_gcConcurrent-none}" >> settings; echo same'; } > settings.sh
runs=1 DOTNET_gcConcurrent=0 compare 0 -- sh settings.sh
has 'garner / stock '
[ "$(sort settings | tr '\n' ';')" = 'garner none 0;stock none 0;' ] || fail "settings of the program: $(cat settings)"
: > settings
runs=1 DOTNET_gcConcurrent=0 compare 0 --with stock-concurrent -- sh settings.sh
[ "$(sort settings | tr '\n' ';')" = 'garner none 0;stock 0 1;' ] || fail "settings of a mode: $(cat settings)"
# Without this collector, and with warm-ups, which do not count.
: > order
warmups=1
compare 0 --mode stock-concurrent --with stock-server-datas -- sh equal.sh
[ "$(wc -l < order)" = 6 ] || fail "warm-ups: $(wc -l < order) runs"
exit 0
