# `garner compare` with programs that are shell scripts: equal, different, failing, too slow, not started.
. "$(dirname "$0")/shared.inc"
cd "$scratch"
: > lib.so
compare() { # compare CODE ARGUMENTS...; output in out and err
  want=$1
  shift
  code=0
  "$garner" compare --lib lib.so --runs 2 --warmup ${warmups:-0} "$@" >out 2>err || code=$?
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
[ "$(cut -d' ' -f1,2 order | tr '\n' ',')" = 'garner ,stock 0,stock 1,garner ,stock 0,stock 1,' ] || fail "order of the runs: $(cat order)"
grep -qv ' 4000000$' order && fail "the limit is not the same for all: $(cat order)"
grep -q '"output_equal": true' all.json && grep -q '^| garner / stock-server |' table.md || fail "files written"

{ cat program.sh; echo 'echo "{\"checksum\":\"$mode\",\"gc\":{}}"'; } > different.sh
compare 1 -- sh different.sh
has "Output DIFFERS: stock-workstation and garner: 'checksum stock' and 'checksum garner'."

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
compare 1 --timeout 0.5 -- sh slow.sh
has 'garner failed: killed at the time limit'

compare 1 -- true
has 'garner failed: the program never loaded the collector'
compare 1 -- no-such-program-anywhere
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

# Without this collector, and with warm-ups, which do not count.
: > order
warmups=1
compare 0 --mode stock-concurrent --with stock-server-datas -- sh equal.sh
[ "$(wc -l < order)" = 6 ] || fail "warm-ups: $(wc -l < order) runs"
exit 0
