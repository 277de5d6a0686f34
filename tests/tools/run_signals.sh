# `garner run` sends every signal on to the program, once, and reports how the program ended.
. "$(dirname "$0")/shared.inc"
: > "$scratch/lib.so"

# A program that says which signals came, and ends at the USR2 that follows each of the others. Started with SIGINT and SIGQUIT at their
# defaults: a shell without job control starts background programs with both ignored.
cat > "$scratch/program.sh" <<'END'
for s in TERM INT HUP QUIT USR1 WINCH CONT ALRM; do trap "echo $s >> '$1/got'" $s; done
trap 'exit 9' USR2
echo ready > "$1/ready"
while :; do sleep 0.05; done
END
start() {
  rm -f "$scratch/ready" "$scratch/got"
  : > "$scratch/got"
  env --default-signal=INT,QUIT "$garner" run --lib "$scratch/lib.so" -- sh "$scratch/program.sh" "$scratch" 2>"$scratch/err" &
  pid=$!
  for i in $(seq 3000); do [ -e "$scratch/ready" ] && break; sleep 0.02; done
  [ -e "$scratch/ready" ] || fail "the program did not start"
}

for signal in TERM INT HUP QUIT USR1 WINCH CONT ALRM; do
  start
  kill -$signal $pid
  for i in $(seq 3000); do [ -s "$scratch/got" ] && break; sleep 0.02; done
  sleep 0.1
  kill -USR2 $pid
  code=0
  wait $pid || code=$?
  [ $code = 9 ] || fail "after $signal and USR2: exit code $code"
  [ "$(cat "$scratch/got")" = $signal ] || fail "$signal: the program got '$(cat "$scratch/got")'"
done

# A program without handlers ends by the signal, and the exit code says so.
for pair in TERM:143 INT:130 USR1:138; do
  rm -f "$scratch/ready"
  env --default-signal=INT,QUIT "$garner" run --lib "$scratch/lib.so" -- sh -c "echo ready > '$scratch/ready'; exec sleep 20" 2>"$scratch/err" &
  pid=$!
  for i in $(seq 3000); do [ -e "$scratch/ready" ] && break; sleep 0.02; done
  kill -${pair%:*} $pid
  code=0
  wait $pid || code=$?
  [ $code = ${pair#*:} ] || fail "${pair%:*}: exit code $code"
  grep -q 'killed by signal' "$scratch/err" || fail "${pair%:*}: the summary does not say it"
done

# A signal that the caller ignores stays ignored.
(trap '' HUP; exec "$garner" run --lib "$scratch/lib.so" -- sh -c 'kill -HUP $PPID; sleep 0.2; exit 4' 2>/dev/null) && code=0 || code=$?
[ $code = 4 ] || fail "ignored SIGHUP: exit code $code"

# compare ends its measured program with itself.
env --default-signal=INT,QUIT "$garner" compare --mode wsc --with wsn -- sh -c "echo \$\$ > '$scratch/child'; sleep 60" >/dev/null 2>&1 &
pid=$!
for i in $(seq 3000); do [ -s "$scratch/child" ] && break; sleep 0.02; done
kill -TERM $pid
code=0
wait $pid || code=$?
[ $code = 143 ] || fail "compare ended by TERM: exit code $code"
sleep 0.1
kill -0 "$(cat "$scratch/child")" 2>/dev/null && fail "the measured program lives on"
exit 0
