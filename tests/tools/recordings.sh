# garner record, simulate and advise, as a user runs them: figures repeat, bad input gets one line.
. "$(dirname "$0")/shared.inc"
cd "$scratch"
heap=$tree/tests/data/xml-transform.garner-heap
: > lib.so

# Twice the same, to the byte.
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 1,4 --json > one
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 1,4 --json > two
cmp one two || fail "the same recording gave two simulations"
[ "$(grep -c '"preset"' one)" = 4 ] || fail "four rows: $(grep -c '"preset"' one)"
for page in one.html two.html; do "$garner" simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 1,4 -o $page > table; done
cmp one.html two.html || fail "the same recording gave two pages"
[ "$(grep -c '<canvas ' one.html)" = 7 ] || fail "five curves and two time lines: $(grep -c '<canvas ' one.html)"
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps --workers 2 > table
grep -q '^simulated on uniform-2x2: ' table || fail "the table says that it is simulated: $(cat table)"
grep -qE '^naps +2 ' table || fail "a row: $(cat table)"
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps --workers 2 --option cycle.resize=fixed,cycle.woken_per=0 > table || fail "an option that a replay honours"
# Whatever the preset, it is the same collection that is compared.
every=garner,ps,interleaved,naps,fragmented,ps_fragopt,segregated,org,aggressive,hybrid,relaxed
"$garner" simulate "$tree/tests/data/warehouse.garner-heap" --machine amd48 --preset "$every" --workers 8 --json > all
[ "$(grep -c '"copied_bytes"' all)" = 11 ] && [ "$(grep '"copied_bytes"' all | sort -u | wc -l)" -le 2 ] || fail "presets copy different things: $(grep '"copied_bytes"' all)"
"$garner" advise "$heap" --machine uniform-2x2 --preset naps,ps --workers 4 > advice
grep -qE '^best: (naps|ps); ' advice || fail "advice: $(cat advice)"
[ "$(grep -cE '^(naps|ps): [0-9.]+ x$' advice)" = 1 ] && [ "$(grep -cE '^  with 4 workers ' advice)" = 1 ] || fail "a reason for each other preset: $(cat advice)"
# Every preset that is more than 2 % slower is told why, by parts that make up at least half of what it loses; other presets are as good.
"$garner" advise "$tree/tests/data/warehouse.garner-heap" --machine amd48 > advice
[ "$(grep -cE '^[a-z_]+: [0-9.]+ x$' advice)" = 9 ] || fail "nine others: $(cat advice)"
awk '/^  with [0-9]+ workers?/ {
  mine = $4; best = substr($6, 2); loss = mine - best; lines++
  told = 0; for (i = 7; i < NF; i++) if ($i ~ /^\+/ && $(i + 1) == "ms") told += $i
  if (loss > 0.02 * best && (told < 0.5 * loss || !/ of workers|GB\/s a worker|synchronisation|outside of tracing/)) { print; bad = 1 }
} END { exit bad || lines < 9 }' advice > unexplained || fail "slower without a reason: $(cat unexplained advice)"
grep -qE '^  with 12 workers .* of bytes from other nodes' advice && grep -qE '^  with 48 workers .*\+[0-9.]+ ms outside of tracing: .*\+[0-9.]+ ms idle workers: ' advice || fail "at both numbers of workers: $(cat advice)"
# The best number of workers, from more numbers than the table has; the ranking is by shortest pauses.
grep -qE '^best number of workers on amd48: 48; .* 2: [0-9.]+, 4: .* 32: ' advice || fail "numbers of workers: $(cat advice)"
awk '$1 ~ /^[0-9]+$/ && $3 ~ /\.[0-9][0-9]$/ && $4 == "x" { if ($3 < before) exit 1; before = $3; n++ } END { exit n != 10 }' advice || fail "not in order: $(cat advice)"
"$garner" advise "$tree/tests/data/warehouse.garner-heap" --machine amd48 --preset garner,ps --workers 12,48 --json > advice
grep -q '"best_workers": 48,' advice && grep -q '"with 12 workers ' advice && grep -q '"shortest_pause_ms":' advice || fail "advice as JSON: $(cat advice)"
# More workers than hardware threads are refused below; fewer took part than there were is said, and only then.
"$garner" simulate "$heap" --machine epyc-2s --preset garner --workers 192 > table
grep -qE '^workers that took part: garner [0-9]+ of 192; one is woken' table || fail "workers that were not woken: $(cat table)"
"$garner" simulate "$heap" --machine epyc-2s --preset garner --workers 192 --option woken_per=0,join=fixed > table
if grep -q 'took part:' table; then fail "all took part: $(cat table)"; fi
# All presets: what cannot be with one worker is left out and told; named, it is refused.
"$garner" advise "$heap" --machine uniform-2x2 --workers 1,4 > advice
grep -q '^left out, as they need a worker on each of the 2 nodes: .*segregated' advice && grep -q '^best: ' advice || fail "all presets: $(cat advice)"
"$garner" simulate "$heap" --describe --json | grep -q '"objects":' || fail "description"

head -c 5000 "$heap" > short
cp "$heap" damaged; printf 'x' | dd of=damaged bs=1 seek=3000 conv=notrunc 2>/dev/null
cp "$heap" other; printf '\002' | dd of=other bs=1 seek=8 conv=notrunc 2>/dev/null
echo '{}' > json
: > empty
for command in simulate advise; do
  bad "short: the file is cut off" $command short
  bad "damaged: the checksum is wrong" $command damaged
  bad "other: the recording has another version" $command other
  bad "json: this is no recording" $command json
  bad "empty: this is no recording" $command empty
  bad "there is no such file" $command nowhere
  bad "a recording is a file" $command .
  bad "'fast' is no preset" $command "$heap" --preset fast
  bad "--preset 'ps,naps,ps': ps stands there twice" $command "$heap" --preset ps,naps,ps
  bad "--workers '1,4,1': 1 stands there twice" $command "$heap" --workers 1,4,1
  bad "--workers '0'" $command "$heap" --workers 0
  bad "--workers '8,x'" $command "$heap" --workers 8,x
  bad "--workers 49: amd48 has 1 to 48 hardware threads" $command "$heap" --workers 8,49
  bad "--workers 1024: epyc-2s has 1 to 384 hardware threads" $command "$heap" --workers 1024 --machine epyc-2s
  bad "--kind 'old'" $command "$heap" --kind old
  bad "unknown option 'speed'" $command "$heap" --option speed=1
  bad "unknown option 'speed'" $command "$heap" --option work.root_batch=16 --option speed=1
  # What a replay cannot honour is refused, by its full name; what is so in a replay anyway is not.
  for option in preset=ps workers=3 seed=3 log=x.log log_format=json log_detail=full reserve=4g limit=64m limit_percent=50 huge_pages=on eden=8m eden_min=8m eden_max=8m resize=adaptive \
                pause_goal=5 gc_share=9 old_growth=50 conserve=3 stress_every=100 stress_kind=full record.file=x.heap record.at=3 record.most=1m record.time=5; do
    name=${option%%=*}
    bad ".${name#*.}: " $command "$heap" --preset naps --workers 1 --option "$option"
  done
  bad "--option general.log: garner simulate --log FILE" $command "$heap" --option work.root_batch=16,log=x.log
  for seed in many -1 1000000000000000000 99999999999999999999999 12x 0x10 1.5 ' 1' ''; do
    bad "--seed: must be a whole number below 10^18, not $seed" $command "$heap" --seed "$seed"
  done
  bad "preset segregated needs a worker on each of the 8 nodes" $command "$heap" --preset segregated --workers 4
done
# A program as record sees it: a log with so many collections, and files of some of them. What was asked for and never came is said in one line.
cat > program <<'END'
log=${GARNER##*,log=} file=${GARNER##*record.file=} n=0
log=${log%%,*} file=${file%%,*}
[ $1 = 0 ] || echo '{"event":"heap_ready","pid":7,"format":1,"workers":2,"nodes":1,"door":"dotnet","preset":"garner"}' >> "$log"
while [ $n -lt $1 ]; do n=$((n + 1)); echo '{"event":"cycle_end","pid":7,"index":'$n',"kind":"young1","pause_ns":1000}' >> "$log"; done
for recorded in $2; do cp "$3" "${file%.garner-heap}$recorded.garner-heap"; done
exit $4
END
recorded() { # recorded CODE AT COLLECTIONS FILES EXIT: what record says goes to `said`
  code=0
  rm -f out.*garner-heap
  "$garner" record --lib lib.so -o out.garner-heap --at "$2" -- sh program "$3" "$4" "$heap" "$5" > out 2> said || code=$?
  [ $code = "$1" ] || fail "record --at $2: exit code $code: $(cat said)"
}
recorded 0 2,9,40,9 5 ".2" 0
[ "$(wc -l < said)" = 2 ] && [ "$(tail -n 1 said)" = "garner: of the collections asked for 9, 40 never came, as the program had 5 collections" ] || fail "what never came: $(cat said)"
recorded 3 2,4,9 5 ".2" 3
[ "$(tail -n 1 said)" = "garner: of the collections asked for 9 never came, as the program had 5 collections; 4 came and is not recorded, see above" ] || fail "what was not recorded: $(cat said)"
recorded 0 2,4 5 ".2 .4" 0
[ "$(wc -l < said)" = 2 ] && ! grep -q 'asked for' said || fail "all were recorded: $(cat said)"
for asked in 7 7,9; do
  recorded 1 $asked 5 "none" 0
  [ "$(cat said)" = "garner: nothing was recorded: the program had 5 collections, and none of those asked for was recorded" ] || fail "nothing was recorded: $(cat said)"
  recorded 4 $asked 5 "none" 4
done
# Some hundred bytes that name three objects of 2 GiB: refused before memory is taken for them, by what the machine has or the limit allows.
for command in simulate advise; do (ulimit -v 1500000; bad "takes about 30720 MB of memory, more than the " $command "$tree/tests/data/three-giants.garner-heap"); done
bad "exclude each other" record --lib lib.so --at 1 --largest -- true
bad "--at '0'" record --lib lib.so --at 0 -- true
bad "--at '1,,2'" record --lib lib.so --at 1,,2 -- true
bad "does not exist" record --lib lib.so -o nowhere/x -- true
bad "is no file" record --lib lib.so -o . -- true
bad "(a comma)" record --lib lib.so -o a,b -- true
bad "--max-bytes: value out of range '3' for option record.most" record --lib lib.so --max-bytes 3 -- true
exit 0
