# Bad input is one clear line on stderr and exit code 2; --help and --version are answers.
. "$(dirname "$0")/shared.inc"
: > "$scratch/lib.so"

code=0
"$garner" > "$scratch/out" 2>"$scratch/err" || code=$?
[ $code = 2 ] && [ ! -s "$scratch/out" ] && grep -q '^Usage: garner ' "$scratch/err" || fail "no command: exit code $code: $(cat "$scratch/out" "$scratch/err")"
"$garner" --help > "$scratch/asked" && "$garner" help > "$scratch/out" && cmp -s "$scratch/asked" "$scratch/out" || fail "garner help"
"$garner" run --help > "$scratch/asked" && "$garner" help run > "$scratch/out" && cmp -s "$scratch/asked" "$scratch/out" || fail "garner help run"
bad "no command 'frobnicate'; garner --help lists them" frobnicate
bad "no command 'reprot'" reprot "$scratch/log" -- true
bad '--colour' run --colour -- true
bad 'no program to run' run
bad 'no program to run' run --
bad 'stands after --: garner run [OPTIONS] -- dotnet' run dotnet app.dll
bad 'nothing can stand after --' options -- true
bad 'unknown mode' run --mode fast -- true
bad 'no library at' run --lib "$scratch/none.so" -- true
bad "is no size for --limit" run --lib "$scratch/lib.so" --limit plenty -- true
bad '--log: stock-server writes no log' run --mode stock-server --log "$scratch/log" -- true
bad 'the log goes to one file' run --lib "$scratch/lib.so" -o workers=1,log="$scratch/a" --log "$scratch/b" -- true
bad "unknown option 'colour'" run --lib "$scratch/lib.so" -o colour=blue -- true
bad "expected name=value" run --lib "$scratch/lib.so" -o workers -- true
bad "--workers" run --lib "$scratch/lib.so" --workers many -- true
bad "cannot stand in an option list" run --lib "$scratch/lib.so" --log "$scratch/a,b" -- true
bad 'is given twice' compare --with wsn,wsn -- true
bad '--runs' compare --runs 0 -- true
bad '--size' bench --size huge
bad 'no directory' bench --bench-dir "$scratch/none"
bad 'exclude each other' options --json --md
bad 'excludes' options --json cycle
bad "no option 'pause_gaol'; garner options lists them" options pause_gaol
for name in pause_goal cycle.pause_goal; do
  "$garner" options $name > "$scratch/out" && [ "$(wc -l < "$scratch/out")" = 2 ] && grep -q '^cycle.pause_goal = ' "$scratch/out" || fail "garner options $name: $(cat "$scratch/out")"
done
"$garner" options cycle > "$scratch/out" && ! grep '^[a-z]' "$scratch/out" | grep -qv '^cycle\.' && [ "$(wc -l < "$scratch/out")" -gt 10 ] || fail "garner options cycle: $(cat "$scratch/out")"
GARNER=colour=blue bad 'in the environment variable GARNER: unknown option' run --lib "$scratch/lib.so" -- true
GARNER=work.term_exit=literal bad 'needs work.sync=monitor' run --lib "$scratch/lib.so" -- true

bad 'is a device' report /dev/zero
bad 'is a device' machine import /dev/zero
bad 'is named twice' reproduce naps/E1 naps/E1
bad 'cannot go to one file' simulate "$tree/tests/data/warehouse.garner-heap" --machine uniform-2x2 --preset naps --workers 2 -o "$scratch/both" --log "$scratch/both"
(cd "$scratch" && bad 'cannot go to one file' simulate "$tree/tests/data/warehouse.garner-heap" --machine uniform-2x2 --preset naps --workers 2 -o /dev/stderr --log /dev/stderr)
"$garner" simulate "$tree/tests/data/xml-transform.garner-heap" --machine uniform-2x2 --preset naps --workers 2 -o /dev/null --log /dev/null > "$scratch/out" 2>"$scratch/err" && [ ! -s "$scratch/err" ] && [ -c /dev/null ] ||
  fail "two outputs to /dev/null: $(cat "$scratch/err")"
# Results that nobody gets are no success: half of a JSON text looks like one.
for lost in 'options' 'options --json' 'machine list' 'machine show amd48 --json' 'reproduce list'; do
  code=0
  # shellcheck disable=SC2086 # words are arguments
  "$garner" $lost >/dev/full 2>"$scratch/err" || code=$?
  [ $code = 1 ] && [ "$(cat "$scratch/err")" = 'garner: the output could not be written' ] || fail "garner $lost, a full device: exit code $code: $(cat "$scratch/err")"
done

bad '--workers: Value -1 not in range 0 to 1024' run --workers -1 -- true
bad '--timeout: -1 is no number from 0 on' compare --timeout -1 -- true

# What would be ignored, or count as not given, is refused.
for of_stock in '--workers 3' '-o log=x' '--preset org' '--lib x'; do
  # shellcheck disable=SC2086 # words are arguments
  bad '--option, --preset, --workers and --lib are of this collector' run --mode stock-server $of_stock -- true
done
bad '--log: is empty' run --log '' -- true
bad '--limit: is empty' run --limit '' -- true
bad '--output: is empty' report -o '' nowhere
bad '--also: unknown option' compare --also nosuch=1 -- true

"$garner" --version | grep -q '^garner [0-9]' || fail "--version"
for command in run compare bench marks options doctor machine top; do
  "$garner" $command --help > "$scratch/out" 2>"$scratch/err" || fail "$command --help"
  grep -q "^Usage: garner $command" "$scratch/out" && [ ! -s "$scratch/err" ] || fail "$command --help: $(cat "$scratch/out")"
  "$garner" --help | grep -q "^  $command " || fail "--help does not list $command"
done

# ./test refuses a part that does not exist before it builds anything.
code=0
GARNER_BUILD=$scratch/none bash "$tree/test" --only nativ > "$scratch/out" 2>"$scratch/err" || code=$?
[ $code = 1 ] && [ "$(wc -l < "$scratch/err")" = 1 ] && grep -q "^no part 'nativ'" "$scratch/err" && [ ! -s "$scratch/out" ] && [ ! -e "$scratch/none" ] ||
  fail "./test --only nativ: exit code $code: $(cat "$scratch/out" "$scratch/err")"

# doctor tells a problem by its exit code, and every line by its first word.
code=0
GARNER=colour=blue DOTNET_GCName=a/b "$garner" doctor --lib "$scratch/lib.so" > "$scratch/out" || code=$?
[ $code = 1 ] || fail "doctor: exit code $code"
grep -qvE '^(ok|note|problem|set) ' "$scratch/out" && fail "doctor: a line without a verdict"
grep -q '^problem  GARNER: unknown option' "$scratch/out" && grep -q '^problem  library: ' "$scratch/out" && grep -q '^problem  DOTNET_GCName: ' "$scratch/out" || fail "doctor: $(cat "$scratch/out")"
# Each alone keeps every program from starting; with .NET here and a library, none of them is a problem by itself.
for setting in DOTNET_GCHeapHardLimit=100 DOTNET_GCGarner=bogus=1 DOTNET_GCPath=/etc/passwd DOTNET_GCPath=lib.so DOTNET_GCName=nosuch.so DOTNET_GCLargePages=1; do
  code=0
  env "$setting" "$garner" doctor > "$scratch/out" || code=$?
  [ $code = 1 ] && [ "$(grep -c "^problem  ${setting%%=*}: " "$scratch/out")" = 1 ] || fail "doctor, $setting: exit code $code: $(cat "$scratch/out")"
done
for setting in DOTNET_GCDynamicAdaptationMode=0 GARNER=log=/nope/x.log CORECLR_ENABLE_PROFILING=1; do
  env "$setting" "$garner" doctor > "$scratch/out" || :
  grep -q "^note     ${setting%%=*}: " "$scratch/out" || fail "doctor, $setting: $(cat "$scratch/out")"
done
# A value that the collector or the runtime passes over is not said to be in force, nor is a name that nothing reads.
of() { # setting, what doctor says of it
  env "$1" "$garner" doctor > "$scratch/out" || :
  grep -q "^note     ${1%%=*}: .*$2" "$scratch/out" || fail "doctor, $1: expected '$2': $(cat "$scratch/out")"
}
of DOTNET_GCgen0size=1000 'is below 64 KB and is ignored'
of DOTNET_GCHeapHardLimitPercent=FF '255, .*is not between 1 and 99'
of DOTNET_GCTotalPhysicalMemory=1 'is below 4 MB and is ignored'
of DOTNET_GCgen0size=zzz 'no hexadecimal number'
of DOTNET_gcServer=yes 'no hexadecimal number'
of DOTNET_GCRegionSize=1000000 'without effect'
of DOTNET_GCHeapHardLimt=10000000 'no setting that this collector knows'
known=0
for name in $(grep -rhoE '(number|flag)\("[A-Za-z0-9]+"|\{"GC[A-Za-z0-9]+", *"System' "$tree"/src/host/dotnet/settings.cc "$tree"/src/host/dotnet/known_settings.h | sed 's/^[^"]*"//; s/".*//' | sort -u); do
  env "DOTNET_$name=1" "$garner" doctor > "$scratch/out" || :
  grep -q "^[a-z]*  *DOTNET_$name: .*no setting that this collector knows" "$scratch/out" && fail "doctor does not know $name, which the host reads"
  known=$((known + 1))
done
[ $known -gt 20 ] || fail "only $known settings were found in the host's sources"
# What it would set, for the options in force and for a log. The exit code is the machine's affair: it may have no .NET.
GARNER=verify=both "$garner" doctor > "$scratch/out" || :
grep -q '^set      GARNER: without cycle.verify' "$scratch/out" || fail "doctor: no counsel on options: $(cat "$scratch/out")"
{ echo '{"event":"heap_ready","pid":7,"start_ns":0,"door":"dotnet"}'
  echo '{"event":"cycle_end","pid":7,"index":1,"start_ns":900000000,"pause_ns":100000000,"stop_ns":0,"kind":"full","cause":"induced"}'; } > "$scratch/log"
"$garner" doctor --log "$scratch/log" > "$scratch/out" || :
grep -q 'log: 1 collection, 1 full, 100 ms stopped of 1.00 s: 10.0 %' "$scratch/out" && grep -q '^set      the program: leave out GC.Collect: 1 full' "$scratch/out" || fail "doctor --log: $(cat "$scratch/out")"
head -n 1 "$scratch/log" > "$scratch/young"
"$garner" doctor --log "$scratch/young" > "$scratch/out" || :
grep -q 'young: 0 collections, 0 full$' "$scratch/out" || fail "doctor --log of a heap without collections: $(cat "$scratch/out")"
"$garner" doctor --log "$scratch/none" > "$scratch/out" 2> "$scratch/err" && fail "doctor: a log that is not there"
[ -s "$scratch/out" ] && fail "doctor: lines before a log is refused"
[ "$(wc -l < "$scratch/err")" = 1 ] || fail "doctor: $(cat "$scratch/err")"
exit 0
