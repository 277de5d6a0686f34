# garner report, as a user runs it: the page of a simulated run has every figure; what is no log gets one line.
. "$(dirname "$0")/shared.inc"
cd "$scratch"
heap=$tree/tests/data/xml-transform.garner-heap
"$garner" simulate "$heap" --machine amd48 --preset naps --workers 8 --log run.log > table
"$garner" simulate "$heap" --machine amd48 --preset naps --workers 8 --log again.log > table
cmp -s run.log again.log || fail "the same run gave two logs"
"$garner" report run.log -o page.html > out || fail "report"
[ ! -s out ] || fail "something on stdout: $(cat out)"
for figure in 'Pauses' "What workers' time in collections" 'Workers in the longest collection' 'Bytes copied or marked by workers of each node' 'Bytes of each space' 'Each space' 'Accesses by workers' 'Bytes read or written' 'Accesses to eden' \
              'Thefts by distance' 'Thefts by node' 'Locality'; do
  grep -q "<section><h2>$figure" page.html || fail "no figure '$figure'"
done
for colour in roots copy steal wait termination; do grep -q "{\"label\":\"$colour\",\"colour\":\"--[a-z]*\"" page.html || fail "the legend lacks $colour"; done
[ "$(grep -c 'Chart\.js v[0-9.]*$' page.html)" = 1 ] && grep -q 'Released under the MIT License' page.html || fail "the page has no Chart.js with its licence, or two"
grep -q 'Collections (simulated)' page.html || fail "the page does not say that it is simulated"
# Thefts: the log's own sum, as the figure's numbers.
thefts=$(grep '"event":"steals"' run.log | sed -E 's/.*"from":\[([0-9,]*)\].*/\1/' | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
drawn=$(sed -nE 's/.*"title":"Thefts by distance"[^]]*\],"series":\{"thefts":\[([0-9.,]*)\].*/\1/p' page.html | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
[ "$thefts" -gt 0 ] && [ "$thefts" = "$drawn" ] || fail "thefts: $thefts in the log, $drawn drawn"

head -c 4000 run.log > cut.log # no collection has ended by then
head -c 100000 "$garner" > binary
: > empty
mkdir directory
bad 'no collection in it' report cut.log
bad 'no collection in it' report binary
bad 'no collection in it' report empty
bad 'is a directory' report directory
bad 'cannot be read' report nowhere
bad 'one --preset and one number' simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 4 --log run.log
code=0
"$garner" report run.log -o directory 2> err || code=$?
[ $code = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q "cannot write 'directory'" err || fail "a page that cannot be written: exit code $code: $(cat err)"
exit 0
