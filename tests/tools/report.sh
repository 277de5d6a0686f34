# garner report, as a user runs it: the page of a simulated run has every figure, that of a real one what pauses leave to the program; a trace holds what the log does;
# what is no log gets one line.
. "$(dirname "$0")/shared.inc"
cd "$scratch"
heap=$tree/tests/data/xml-transform.garner-heap
"$garner" simulate "$heap" --machine amd48 --preset naps --workers 8 --log run.log > table
"$garner" simulate "$heap" --machine amd48 --preset naps --workers 8 --log again.log > table
cmp -s run.log again.log || fail "the same run gave two logs"
"$garner" report run.log -o page.html > out || fail "report"
[ ! -s out ] || fail "something on stdout: $(cat out)"
for figure in 'Pauses' 'Percentiles of pauses' 'Collections by length of their pause' 'Heap over time' 'Copied and promoted by each collection' 'Why collections began' "What workers' time in collections" 'Workers in the longest collection' 'Bytes copied or marked by workers of each node' 'Bytes of each space' 'Each space' 'Accesses by workers' 'Bytes read or written' 'Accesses to eden' \
              'Steals by distance' 'Steals by node' 'Locality'; do
  grep -q "<section><h2>$figure" page.html || fail "no figure '$figure'"
done
for colour in roots copy steal wait termination; do grep -q "{\"label\":\"$colour\",\"colour\":\"--[a-z]*\"" page.html || fail "the legend lacks $colour"; done
[ "$(grep -c 'Chart\.js v[0-9.]*$' page.html)" = 1 ] && grep -q 'Released under the MIT License' page.html || fail "the page has no Chart.js with its licence, or two"
grep -q 'Collections (simulated)' page.html || fail "the page does not say that it is simulated"
# Steals: the log's own sum, as the figure's numbers.
steals=$(grep '"event":"steals"' run.log | sed -E 's/.*"from":\[([0-9,]*)\].*/\1/' | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
drawn=$(sed -nE 's/.*"title":"Steals by distance"[^]]*\],"series":\{"steals":\[([0-9.,]*)\].*/\1/p' page.html | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
[ "$steals" -gt 0 ] && [ "$steals" = "$drawn" ] || fail "steals: $steals in the log, $drawn drawn"

# What a real log's pauses come to, of three collections (the first one is not in this log): percentiles, shares of the time until the end of the last, causes.
"$garner" report "$tree/tests/data/one-node.log" -o one.html || fail "report of one node"
! grep -q 'Minimum mutator utilisation' page.html || fail "of a simulated heap no program runs"
grep -q '<section><h2>Minimum mutator utilisation' one.html || fail "no curve of what pauses leave to the program"
sed -nE 's/.*id="figures">(.*)<\/script>/\1/p' one.html | grep -qF '{"kind":"young","count":3,"p50_ms":12.641111,"p90_ms":27.14014,"p99_ms":27.14014,"p99_9_ms":27.14014,"longest_ms":27.14014,"total_ms":44.88059,"share":' || fail "percentiles: $(grep -o '"title":"Percentiles.\{300\}' one.html)"
grep -qF '{"cause":"eden_full","count":3,"full":0,"total_ms":44.88059,"longest_ms":27.14014}' one.html || fail "causes"
for cell in '>young<' '>3<' '>12.6<' '>27.1<' '>44.9<' '>39.93 %<' '>eden_full<'; do grep -q "<td[^>]*$cell" one.html || fail "no cell $cell: $(grep '<td' one.html)"; done

# What is written without having been named is told; - is stdout; the log itself is no place, under whatever name.
mkdir unnamed && (cd unnamed && "$garner" report ../run.log > ../out 2> ../err) && [ ! -s out ] && grep -qE '^garner: garner-report.html written, [1-9][0-9]+ KB$' err && cmp -s page.html unnamed/garner-report.html || fail "a page without a name: $(cat err)"
"$garner" report run.log -o - > out 2> err && [ ! -s err ] && cmp -s page.html out && [ ! -e - ] || fail "-o -: $(cat err)"
"$garner" report run.log --trace > trace.json && "$garner" report run.log --trace -o - | cmp -s - trace.json || fail "--trace -o -"
cp run.log kept.log
ln -s run.log link.log
ln run.log same.log
for name in run.log ./run.log link.log same.log; do
  bad 'is the log itself' report run.log -o $name
  bad 'is the log itself' report $name -o run.log --trace
done
bad 'is the log itself' report link.log --json -o run.log
bad 'stdin is not read' report -
bad 'cannot go there too' report run.log --json -o -
cmp -s run.log kept.log || fail "the log was written to"

# A trace: an event a line, each pause of the log as long as it was, its sizes, its phases; and no page.
[ -n "$("$garner" report --help | grep -- --trace)" ] || fail "the help does not tell of traces"
for log in run.log "$tree/tests/data/one-node.log" "$tree/tests/data/eight-nodes.log"; do
  rm -rf traces
  mkdir traces && (cd traces && case $log in /*) ;; *) log=../$log ;; esac && "$garner" report "$log" --trace > ../trace.json 2> ../err) && [ -z "$(ls traces)" ] || fail "report --trace of $log: $(cat err)"
  "$garner" report "$log" --trace -o traces/trace.json > out 2> err && [ ! -s out ] && cmp -s trace.json traces/trace.json || fail "a trace into a file: $(cat out err)"
  head -n 1 trace.json | grep -qE '^\{"displayTimeUnit":"ms","otherData":\{"simulated":(true|false),"began_ns":[0-9]+\},"traceEvents":\[$' && [ "$(tail -n 1 trace.json)" = ']}' ] || fail "the trace's frame: $(head -c 200 trace.json)"
  [ -z "$(sed -e 1d -e '$d' trace.json | grep -vE '^\{"ph":"[XMC]",.*\},?$')" ] && ! grep -qE '"(ts|dur)":-|null' trace.json || fail "events: $(sed -e 1d -e '$d' trace.json | grep -vE '^\{"ph":"[XMC]",.*\}' | head -n 3)"
  lasted=$(grep '"event":"cycle_end"' "$log" | sed -E 's/.*"pause_ns":([0-9]+).*/\1/' | awk '{ sum += $1 } END { printf "%.0f\n", sum }')
  drawn=$(grep '"cat":"pause"' trace.json | sed -E 's/.*"dur":([0-9.]+).*/\1/' | awk '{ sum += $1 * 1000 } END { printf "%.0f\n", sum }')
  [ "$lasted" = "$drawn" ] || fail "pauses of $log: $lasted ns in the log, $drawn in the trace"
  for what in '"cat":"phase","name":"evacuate"' '"cat":"activity","name":"copy"' '"name":"thread_name",.*"name":"worker 0, node 0"' '"name":"process_name",.*"name":"Garner, preset ' '"ph":"C","name":"heap",.*"args":{"MB":[0-9.]*}' '"args":{"index":[0-9]*,"kind":"[a-z0-9]*","cause":"'; do
    grep -q "$what" trace.json || fail "the trace of $log lacks $what"
  done
done
bad 'one of them at a time' report run.log --json --trace
bad 'no collection in it' report trace.json --trace
code=0
"$garner" report run.log --trace -o traces 2> err || code=$?
[ $code = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q "cannot write 'traces'" err || fail "a trace that cannot be written: exit code $code: $(cat err)"

# A table of phases: times and sums of the log; limits of this machine for a real one, where they are not declined, and none for a simulated one.
"$garner" report run.log --phases > phases.txt 2> err && [ ! -s err ] || fail "report --phases: $(cat err)"
copied=$(grep '"event":"worker_phase"' run.log | sed -nE 's/.*"objects_copied":([0-9]+).*/\1/p' | awk '{ sum += $1 } END { printf "%.0f\n", sum }')
grep -qE "^young  *evacuate  .* $copied " phases.txt && grep -q "^times are the simulated machine's" phases.txt && ! grep -q 'limit' phases.txt || fail "phases of a simulation: $(cat phases.txt)"
one=$tree/tests/data/one-node.log
"$garner" report "$one" --phases > phases.txt 2> err && [ ! -s err ] || fail "report --phases: $(cat err)"
grep -qE '^collections  phase .* limit, ms  limit / time$' phases.txt && grep -qE '^young  *evacuate  .* [0-9]+ %$' phases.txt && grep -qE '^young  *pause  *3  *44\.9 ' phases.txt || fail "phases: $(cat phases.txt)"
grep -qE '^limits: this machine copies [0-9.]+ GB/s and reads [0-9.]+ million lines' phases.txt && grep -q '^evacuate: 1.5 lines' phases.txt || fail "what limits are made of: $(cat phases.txt)"
[ -z "$("$garner" report "$one" --phases --no-limits -o phases.md 2>&1)" ] && grep -q '^| young | evacuate | 3 |' phases.md && grep -q '^- ms: of the pause' phases.md && ! grep -q limit phases.md || fail "phases as markdown: $(cat phases.md)"
bad 'one of them at a time' report run.log --phases --trace
bad 'one of them at a time' report run.log --longest 3 --phases

# The longest pauses: the log's, in their order.
"$garner" report "$one" --longest 2 > longest.txt 2> err && [ ! -s err ] && [ "$(grep -c '  young[01]  ' longest.txt)" = 2 ] && sed -n 2p longest.txt | grep -qE '  27\.1  *young' || fail "report --longest: $(cat longest.txt err)"
[ -z "$("$garner" report "$one" --longest 99 -o longest.md 2>&1)" ] && [ "$(grep -c '^| [0-9]' longest.md)" = 3 ] && grep -q '^- memory at its most: ' longest.md || fail "longest as markdown: $(cat longest.md)"
for n in 0 -1 many; do bad "$n" report run.log --longest $n; done
bad '--no-limits is for --phases' report run.log --no-limits

# One record for each worker and collection: the log's own sums, and no page that was not asked for.
mkdir records && (cd records && "$garner" report ../run.log --json > ../workers.json) && [ -z "$(ls records)" ] || fail "report --json"
[ "$(grep -c '^{"event":"worker",' workers.json)" = "$(wc -l < workers.json)" ] || fail "a line that is no record: $(head -n 3 workers.json)"
[ "$(sed -E 's/.*("index":[0-9]+).*("worker":[0-9]+).*/\1 \2/' workers.json | sort | uniq -d | wc -l)" = 0 ] || fail "a worker has two records of a collection"
total() { grep "\"event\":\"$1\"" "$2" | sed -nE "s/.*\"$3\":([0-9]+)[,}].*/\1/p" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; } # EVENT FILE KEY
for key in bytes_copied slots steals steals_remote steal_attempts idle_ns waits_ns; do
  [ "$(total worker workers.json $key)" = "$(total worker_phase run.log $key)" ] || fail "$key: $(total worker workers.json $key), in the log $(total worker_phase run.log $key)"
done
[ "$(total worker workers.json bytes_copied)" -gt 0 ] && [ $(($(total worker workers.json steals_near) + $(total worker workers.json steals_remote))) = "$(total worker workers.json steals)" ] || fail "steals near and far"
grep -q '"phase_ns":{.*"evacuate":' workers.json && grep -q '"activity_ns":{"wait":' workers.json || fail "a record lacks phases or activities: $(head -n 1 workers.json)"
[ -z "$("$garner" report run.log -o page.html 2>&1)" ] || fail "something is said of a whole log"
# A log that lost its middle: a page of the rest, and one line about it, on stderr and in the page.
for number in 1 2 3 4 5 6; do echo '{"event":"cycle_end","pid":7,"index":'$number',"kind":"young1","start_ns":'$number'000,"pause_ns":100,"stop_ns":1}'; done > six.log
[ -z "$("$garner" report six.log -o six.html 2>&1)" ] || fail "something is said of six collections"
damaged() { # TEXT FILE
  "$garner" report $2 -o damaged.html > out 2> err || fail "report of $2: $(cat err)"
  [ "$(cat err)" = "garner: $2: $1; the page shows the rest" ] || fail "$2: $(cat err)"
  [ ! -s out ] && grep -qF "$1. " damaged.html || fail "the page of $2 does not say it"
}
sed 3d six.log > missing.log
damaged '1 collection between others is missing' missing.log
"$garner" report missing.log --trace 2>&1 > trace.json | grep -qxF 'garner: missing.log: 1 collection between others is missing; the trace is of the rest' || fail "a trace of a log with a gap"
sed 3,4d six.log > missing.log
damaged '2 collections between others are missing' missing.log
(head -c 230 six.log && tail -c 50 six.log) > torn.log # from the third line into the last
damaged '1 line of the log is no record' torn.log
sed '4s/.*/{"event":"cyc/' six.log > torn.log
damaged '1 line of the log is no record, 1 collection between others is missing' torn.log
sed '4s/"pid":7/"pid":7,"lost_before":2/' six.log > lost.log
damaged '2 records could not be written' lost.log
sed 's/"pause_ns":100,/"pause_ns":100,"evacuate_ns":50,/;3d' six.log > missing.log
"$garner" report missing.log --phases --no-limits 2>&1 > out | grep -qxF 'garner: missing.log: 1 collection between others is missing; the table is of the rest' || fail "phases of a log with a gap"
bad 'no durations of phases in it' report six.log --phases
head -c 4000 run.log > cut.log # no collection has ended by then
head -c 100000 "$garner" > binary
: > empty
mkdir directory
bad 'no collection in it' report cut.log
bad 'no collection in it' report binary
bad 'no collection in it' report empty
bad 'no collection in it' report binary --phases
bad 'is a directory' report directory
bad "'nowhere' cannot be read" report nowhere
bad "'' cannot be read" report ''
bad 'one --preset and one number' simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 4 --log run.log
code=0
"$garner" report run.log -o directory 2> err || code=$?
[ $code = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q "cannot write 'directory'" err || fail "a page that cannot be written: exit code $code: $(cat err)"
exit 0
