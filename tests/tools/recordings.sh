# garner record, simulate and advise, as a user runs them: figures repeat, bad input gets one line.
set -eu
garner=$1 tree=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
cd "$scratch"
heap=$tree/tests/data/xml-transform.garner-heap
: > lib.so

# Twice the same, to the byte.
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 1,4 --json > one
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps,ps --workers 1,4 --json > two
cmp one two || fail "the same recording gave two simulations"
[ "$(grep -c '"preset"' one)" = 4 ] || fail "four rows: $(grep -c '"preset"' one)"
"$garner" simulate "$heap" --machine uniform-2x2 --preset naps --workers 2 > table
grep -q '^simulated on uniform-2x2: ' table || fail "the table says that it is simulated: $(cat table)"
grep -qE '^naps +2 ' table || fail "a row: $(cat table)"
"$garner" advise "$heap" --machine uniform-2x2 --preset naps,ps --workers 4 > advice
grep -qE '^best: (naps|ps); ' advice || fail "advice: $(cat advice)"
[ "$(grep -cE '^  (naps|ps): ' advice)" = 1 ] || fail "a reason for each other preset: $(cat advice)"
# All presets: what cannot be with one worker is left out and told; named, it is refused.
"$garner" advise "$heap" --machine uniform-2x2 --workers 1,4 > advice
grep -q '^left out: preset segregated needs a worker on each of the 2 nodes' advice && grep -q '^best: ' advice || fail "all presets: $(cat advice)"
"$garner" simulate "$heap" --describe --json | grep -q '"objects":' || fail "description"

refused() { # refused TEXT ARGUMENTS…
  text=$1; shift
  code=0
  "$garner" "$@" > out 2> err || code=$?
  [ $code = 2 ] || fail "$*: exit code $code: $(cat err)"
  [ "$(wc -l < err)" = 1 ] && grep -qF -- "$text" err || fail "$*: '$text' is not what was said: $(cat err)"
}
head -c 5000 "$heap" > short
cp "$heap" damaged; printf 'x' | dd of=damaged bs=1 seek=3000 conv=notrunc 2>/dev/null
cp "$heap" other; printf '\002' | dd of=other bs=1 seek=8 conv=notrunc 2>/dev/null
echo '{}' > json
: > empty
for command in simulate advise; do
  refused "short: the file is cut off" $command short
  refused "damaged: the checksum is wrong" $command damaged
  refused "other: the recording has another version" $command other
  refused "json: this is no recording" $command json
  refused "empty: this is no recording" $command empty
  refused "there is no such file" $command nowhere
  refused "a recording is a file" $command .
  refused "'fast' is no preset" $command "$heap" --preset fast
  refused "--workers '0'" $command "$heap" --workers 0
  refused "--workers '8,x'" $command "$heap" --workers 8,x
  refused "--kind 'old'" $command "$heap" --kind old
  refused "unknown option 'speed'" $command "$heap" --option speed=1
  refused "workers and seed have arguments" $command "$heap" --option workers=3
  refused "preset segregated needs a worker on each of the 8 nodes" $command "$heap" --preset segregated --workers 4
done
refused "exclude each other" record --lib lib.so --at 1 --largest -- true
refused "--at '0'" record --lib lib.so --at 0 -- true
refused "--at '1,,2'" record --lib lib.so --at 1,,2 -- true
refused "does not exist" record --lib lib.so -o nowhere/x -- true
refused "is no file" record --lib lib.so -o . -- true
refused "(a comma)" record --lib lib.so -o a,b -- true
refused "record.most" record --lib lib.so --max-bytes 3 -- true
exit 0
