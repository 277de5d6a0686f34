# `garner run` is transparent: streams, arguments, environment and exit codes are the program's.
. "$(dirname "$0")/shared.inc"
export TMPDIR=$scratch/tmp # of our own, so that what others have left is not taken for ours
mkdir "$TMPDIR"
library=$scratch/lib.so
: > "$library"
run() { "$garner" run --lib "$library" "$@"; }
expect() { # expect CODE what COMMAND...
  want=$1 what=$2
  shift 2
  code=0
  "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  [ "$code" = "$want" ] || fail "$what: exit code $code, not $want: $(cat "$scratch/err")"
}

for code in 0 1 7 255; do expect $code "exit code $code" run -- sh -c "exit $code"; done
expect 139 "killed by SIGSEGV" run -- sh -c 'kill -SEGV $$'
expect 137 "killed by SIGKILL" run -- sh -c 'kill -KILL $$'
expect 127 "a program that is not there" run -- no-such-program-anywhere
grep -q "^garner: 'no-such-program-anywhere' cannot be started: No such file or directory$" "$scratch/err" || fail "no sentence about the missing program"
[ "$(wc -l < "$scratch/err")" = 1 ] || fail "more than one line about the missing program"
expect 126 "a file that is no program" run -- /etc/passwd

echo input | run -- sh -c 'cat; echo error text >&2' >"$scratch/out" 2>"$scratch/err"
[ "$(cat "$scratch/out")" = input ] || fail "stdin or stdout changed"
grep -q '^error text$' "$scratch/err" || fail "stderr changed"

run -- printf '%s|' a '' 'b c' -- --json '{x}' '[1,2]' >"$scratch/out" 2>/dev/null
[ "$(cat "$scratch/out")" = 'a||b c|--|--json|{x}|[1,2]|' ] || fail "arguments changed: $(cat "$scratch/out")"

GARNER=workers=9 DOTNET_GCName=other.so run -o trim=on --workers 2 --preset naps --limit 256m -- env >"$scratch/out" 2>/dev/null
grep -q "^DOTNET_GCPath=$library$" "$scratch/out" || fail "DOTNET_GCPath"
grep -q '^DOTNET_GCName=' "$scratch/out" && fail "DOTNET_GCName is still there"
grep -q '^DOTNET_GCHeapHardLimit=10000000$' "$scratch/out" || fail "the limit is not hexadecimal"
grep -q '^GARNER=workers=9,preset=naps,workers=2,trim=on,log=.*,log_format=json,log_detail=plain$' "$scratch/out" || fail "GARNER: $(grep GARNER= "$scratch/out")"
"$garner" run --mode stock-server -- env >"$scratch/out" 2>/dev/null
grep -q '^DOTNET_gcServer=1$' "$scratch/out" && grep -q '^DOTNET_GCDynamicAdaptationMode=0$' "$scratch/out" || fail "the settings of stock-server"
grep -q '^PATH=' "$scratch/out" && ! grep -q '^DOTNET_GCPath=' "$scratch/out" || fail "a stock mode has a library"

# Nobody reads the summary: the exit code is still the program's.
code=0
run -- sh -c 'exit 5' 2>&- >/dev/null || code=$?
[ $code = 5 ] || fail "stderr closed: exit code $code"
{ code=0; run -- sh -c 'sleep 0.2; exit 6' || code=$?; echo $code > "$scratch/code"; } 2>&1 >/dev/null | true
sleep 1
[ "$(cat "$scratch/code")" = 6 ] || fail "stderr is a closed pipe: exit code $(cat "$scratch/code")"
left=$(ls "$TMPDIR")
[ -z "$left" ] || fail "left behind: $left"
exit 0
