# `garner top`: figures as text, the list, bad input, and the live view in a terminal: what it draws, keys, sizes, signals, and that the terminal is as
# before on every way out. The process it looks at is garner_live_program, which has a page and no collector; a .NET program's is tests/door/dotnet/suite/top.sh's.
. "$(dirname "$0")/shared.inc"
garner=$(cd "$(dirname "$garner")" && pwd)/$(basename "$garner")
program=$(dirname "$garner")/garner_live_program
[ -x "$program" ] || fail "no $program"
unset NO_COLOR COLUMNS LINES
export LC_ALL=C.UTF-8 TERM=xterm-256color

started=
trap 'for p in $started; do kill $p 2>/dev/null || :; done; rm -rf "$scratch"' EXIT
# start [MANNER]: the program, its number in $pid, the number it said in $told.
start() {
  rm -f "$scratch/ready"
  "$program" "$@" > "$scratch/ready" &
  pid=$!
  started="$started $pid"
  for i in $(seq 1500); do grep -qs ready "$scratch/ready" && break; sleep 0.02; done
  told=$(sed -n 's/^ready //p' "$scratch/ready")
  [ -n "$told" ] || fail "the program $* did not start"
}
end() { kill "$1" 2>/dev/null || :; wait "$1" 2>/dev/null || :; }
has() { grep -qE -- "$2" "$1" || fail "$3: '$2' is not in: $(cat "$1")"; }

# -- bad input --
bad 'is no number of a process' top 0
bad 'nothing can stand after --' top -- 5
bad 'PID = self' top self
bad 'there is no process 999999999' top 999999999
bad '--interval takes 0.05 to 3600 seconds' top $$ --interval 0
bad '--interval takes' top $$ --interval -1
bad '--interval takes' top $$ --interval nan
bad '--interval takes' top $$ --interval 1e9
bad '--interval' top $$ --interval soon
bad '--count takes 1 or more' top $$ --count 0
bad '--count' top $$ --count many
bad '--once' top $$ --once --count 2
bad 'need a process' top --interval 2
bad "process $$ has no live page" top $$
start version
bad "the live page of process $pid has format 9; this command reads format 1" top "$pid"
end "$pid"
start torn
bad "the live page of process $pid cannot be read" top "$pid"
end "$pid"
start hostile # its figures are nonsense; what is shown is text in bounds, and nothing crashes
code=0
"$garner" top "$pid" > "$scratch/out" 2>"$scratch/err" || code=$?
{ [ $code = 0 ] && [ ! -s "$scratch/err" ]; } || fail "a hostile page: exit code $code: $(cat "$scratch/err")"
"$garner" top > /dev/null || fail "the list with a hostile page"
end "$pid"

# A child has its parent's page until it runs a program of its own: that is not a page of the child's.
start fork
bad "process $told has no live page" top "$told"
"$garner" top "$pid" > /dev/null || fail "the parent's page"
"$garner" top > "$scratch/out"
has "$scratch/out" "^ *$pid +" "the parent in the list"
grep -q "^ *$told " "$scratch/out" && fail "the child is in the list: $(cat "$scratch/out")"
end "$pid"

# -- text --
start
"$garner" top "$pid" --once > "$scratch/out" 2>"$scratch/err" || fail "--once: $(cat "$scratch/err")"
has "$scratch/out" "^$pid .*garner_live_program +up 0:0[0-9]:[0-9]{2}$" "the title"
has "$scratch/out" '^door none, preset garner, 2 workers, regions of 256.0K, ' "what it is"
has "$scratch/out" '^  survivor +3.0M +0 ' "survivors"
has "$scratch/out" '^  old +25.0M +5.0M  █+░+$' "old space"
has "$scratch/out" '^  all +28.0M +5.0M  committed 96.0M, limit 512.0M, next eden 64.0M$' "the heap"
has "$scratch/out" '^pauses +last 1.50 ms \(0.04 to stop\), longest 1.50 ms; [0-9.]+ % of all time$' "pauses"
has "$scratch/out" '^last [0-9]+ +p50 1.50, p90 1.50, p99 1.50 ms; ' "percentiles"
has "$scratch/out" '^kinds +young0 [0-9]+, full [0-9]+$' "kinds"
has "$scratch/out" '^causes +eden_full [0-9]+, induced [0-9]+$' "causes"
has "$scratch/out" '^     1 +1234 +2.0M +7 +- ' "a worker"
"$garner" top "$pid" > "$scratch/piped" && [ "$(grep -c '^pauses' "$scratch/piped")" = 1 ] || fail "without a terminal: once"
for try in 1 2 3 4 5; do # a busy system may stop the program for as long as one interval
  "$garner" top "$pid" --count 3 --interval 0.5 > "$scratch/out" || fail "--count 3"
  [ "$(grep -c '^pauses' "$scratch/out")" = 3 ] || fail "--count 3: $(cat "$scratch/out")"
  moments=$(sed -n 's/.*after collection \([0-9]*\),.*/\1/p' "$scratch/out" | sort -nu | wc -l)
  [ "$moments" = 3 ] && break
done
[ "$moments" = 3 ] || fail "three pictures are three moments: $(cat "$scratch/out")"
LC_ALL=C "$garner" top "$pid" --once > "$scratch/out"
grep -q '^pauses' "$scratch/out" && ! LC_ALL=C grep -q '[^ -~]' "$scratch/out" || fail "characters beyond ASCII in a locale without them: $(cat "$scratch/out")"
code=0
"$garner" top "$pid" --once >/dev/full 2>"$scratch/err" || code=$?
[ $code = 1 ] || fail "a full device: exit code $code"

end "$pid"
start "" nïña # characters of the locale's own stay as they are, and nothing else does
"$garner" top "$pid" --once > "$scratch/out"
has "$scratch/out" "^$pid .*garner_live_program  nïña +up " "a command beyond ASCII"
LC_ALL=C "$garner" top "$pid" --once > "$scratch/out"
has "$scratch/out" "^$pid .*garner_live_program  n\?\?\?\?a +up " "the same in a locale without them"

# -- the list --
"$garner" top > "$scratch/out" 2>"$scratch/err" || fail "the list: $(cat "$scratch/err")"
has "$scratch/out" '^ *pid +heap +committed +collections +last pause ms +longest +stopped +command' "the head of the list"
has "$scratch/out" "^ *$pid +28.0M +96.0M +[0-9]+ +1.50 +1.50 +[0-9.]+ % +.*garner_live_program  nïña *$" "the process in the list"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && cp "$garner" "$scratch/garner" && chmod 755 "$scratch" && setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/garner" --version >/dev/null 2>&1; then
  code=0
  setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/garner" top "$pid" 2>"$scratch/err" >/dev/null || code=$?
  { [ $code = 2 ] && grep -q "^garner: process $pid may not be looked at" "$scratch/err" && [ "$(wc -l < "$scratch/err")" = 1 ]; } || fail "another user's process: exit code $code: $(cat "$scratch/err")"
fi

# -- the screen --
command -v script >/dev/null || { echo "skipped: the screen, without script(1)"; exit 0; }
# screen ACTIONS ARGUMENTS...: the command in a terminal of 80x24, with ACTIONS (a function) typing and signalling; what it drew is in $scratch/drawn, its
# exit code in $scratch/code, its own number in $scratch/number, the terminal's device in $scratch/tty.
cat > "$scratch/inner.sh" <<'END'
stty rows 24 cols 80
tty > "$scratch/tty"
stty -a > "$scratch/before"
code=0
sh -c 'echo $$ > "$scratch/number"; exec "$@"' sh "$@" || code=$?
stty -a > "$scratch/after"
echo $code > "$scratch/code"
END
screen() {
  actions=$1
  shift
  rm -f "$scratch/drawn" "$scratch/code" "$scratch/number" "$scratch/before" "$scratch/after"
  { $actions; for i in $(seq 600); do [ -e "$scratch/code" ] && break; sleep 0.05; done; } |
    scratch=$scratch timeout 100 script -qefc "sh '$scratch/inner.sh' '$garner' top $*" "$scratch/drawn" > /dev/null 2>&1 || :
  [ -e "$scratch/code" ] || fail "the view of $actions did not end: $(tail -c 300 "$scratch/drawn" | cat -v)"
}
ends_with() { # CODE: and the terminal is as before
  [ "$(cat "$scratch/code")" = "$1" ] || fail "$actions: exit code $(cat "$scratch/code"), expected $1: $(tail -c 300 "$scratch/drawn" | cat -v)"
  grep -q "$(printf '\033')\[?1049h" "$scratch/drawn" || fail "$actions: no screen of its own"
  sed "s/.*$(printf '\033')\[?1049h//" "$scratch/drawn" | grep -q "$(printf '\033')\[?1049l" || fail "$actions: the screen is not given back"
  grep -q "$(printf '\033')\[?25h\|$(printf '\033')\[?12l$(printf '\033')\[?25h\|$(printf '\033')\[34h" "$scratch/drawn" || fail "$actions: the cursor stays hidden"
  sed 's/rows [0-9]*; columns [0-9]*;//' "$scratch/before" > "$scratch/b"
  sed 's/rows [0-9]*; columns [0-9]*;//' "$scratch/after" > "$scratch/a"
  cmp -s "$scratch/b" "$scratch/a" || fail "$actions: the terminal's settings differ: $(diff "$scratch/b" "$scratch/a")"
}
drawn() { grep -qF -- "$1" "$scratch/drawn" || fail "$actions: '$1' is not drawn: $(cat -v "$scratch/drawn" | tail -c 3000)"; }
running() { for i in $(seq 600); do [ -e "$scratch/drawn" ] && grep -q committed "$scratch/drawn" && return 0; sleep 0.05; done; }
wait_drawn() { for i in $(seq 600); do grep -qF -- "$1" "$scratch/drawn" && return 0; sleep 0.05; done; }

quits() { running; printf q; }
screen quits "$pid" --interval 0.1
ends_with 0
for text in garner_live_program 'preset garner' 'committed 96.0M, limit 512.0M' 'p50 1.50, p90 1.50' 'young0' 'last pauses, ms' 'last: objects' 'q quit' '█'; do drawn "$text"; done
grep -q "$(printf '\033')\[3[0-9]m" "$scratch/drawn" || fail "no colours on a terminal that has them"
NO_COLOR=1 screen quits "$pid" --interval 0.1
ends_with 0
grep -q "$(printf '\033')\[[0-9;]*3[0-9]m" "$scratch/drawn" && fail "colours with NO_COLOR"
TERM=vt100 screen quits "$pid" --interval 0.1
[ "$(cat "$scratch/code")" = 0 ] || fail "vt100: exit code $(cat "$scratch/code")"
grep -q "$(printf '\033')\[[0-9;]*3[0-9]m" "$scratch/drawn" && fail "colours on a terminal without them"

freezes() { running; printf ' '; wait_drawn FROZE; printf q; }
screen freezes "$pid" --interval 0.1
ends_with 0
drawn FROZE # the last letter, in the corner, may come with orders of its own

resizes() { running; stty rows 20 cols 40 < "$(cat "$scratch/tty")"; wait_drawn '96.0M/512.0M'; printf q; }
screen resizes "$pid" --interval 5
ends_with 0
drawn '96.0M/512.0M'

for pair in TERM:143 INT:130 HUP:129; do
  signals() { running; kill -"${pair%:*}" "$(cat "$scratch/number")"; }
  screen signals "$pid" --interval 5
  ends_with "${pair#*:}"
done

nothing() { :; }
screen nothing "$pid" --count 3 --interval 0.1
ends_with 0
TERM=no-such-terminal screen nothing "$pid"
[ "$(cat "$scratch/code")" = 2 ] || fail "an unknown terminal: exit code $(cat "$scratch/code")"
drawn "the terminal type 'no-such-terminal' is not known here"
TERM=dumb screen nothing "$pid"
[ "$(cat "$scratch/code")" = 2 ] || fail "a dumb terminal: exit code $(cat "$scratch/code")"
drawn "a terminal of type 'dumb' has no screen; --once prints the figures without one"

# The terminal goes and no signal tells of it, as to a session of its own: the view ends too, and does not draw for nobody, deaf to signals.
alive() { [ -e "/proc/$1" ] && ! grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; }
if command -v setsid >/dev/null; then
  rm -f "$scratch/drawn" "$scratch/number"
  script -qfc "setsid -w sh -c 'echo \$\$ > \"$scratch/number\"; exec \"$garner\" top $pid --interval 5'" "$scratch/drawn" > /dev/null 2>&1 < /dev/null &
  terminal=$!
  running
  kill -9 $terminal
  number=$(cat "$scratch/number")
  for i in $(seq 1200); do alive "$number" || break; sleep 0.05; done
  if alive "$number"; then kill -9 "$number"; fail "the view goes on without a terminal"; fi
fi

# The process ends: one line, on the terminal as it was, and exit code 0.
goes() { running; kill "$pid"; }
screen goes "$pid" --interval 0.1
ends_with 0
drawn "process $pid has ended"
exit 0
