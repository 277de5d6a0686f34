# The summary of `garner run`, from a program that writes the log the way the collector does.
. "$(dirname "$0")/shared.inc"
: > "$scratch/lib.so"
summary() { "$garner" run --lib "$scratch/lib.so" "$@" 2>&1 >/dev/null; }

cat > "$scratch/collector.sh" <<'END'
log=${GARNER##*log=}
log=${log%%,*}
echo '{"event":"heap_ready","pid":1,"format":1,"limit_bytes":0,"workers":2,"nodes":1,"door":"dotnet","preset":"garner"'${GARNER_RUN:+,'"run":"'$GARNER_RUN'"'}'}' >> "$log"
for i in 1 2 3; do echo '{"event":"cycle_end","pid":1,"kind":"young0","cause":"eden_full","pause_ns":1500000,"heap_after":2097152}' >> "$log"; done
echo '{"event":"cycle_end","pid":1,"kind":"full","cause":"induced","pause_ns":10000000,"heap_after":1048576}' >> "$log"
exit ${1:-0}
END

said=$(summary -- sh "$scratch/collector.sh")
echo "$said" | grep -q '^garner: 4 collections (1 full, 3 young0), pauses p50 1.50 ms, p99 10.0 ms, longest 10.0 ms, 14.5 ms in all: ' || fail "collections: $said"
echo "$said" | grep -q '^garner: .* s, CPU .* s (.* user, .* system), peak memory .* MB, heap 1.00 MB after the last collection$' || fail "process: $said"
[ "$(echo "$said" | wc -l)" = 2 ] || fail "two lines: $said"

[ "$(summary -- true | head -1)" = 'garner: the program never loaded the collector' ] || fail "a program without the collector"
[ "$(summary -- true | wc -l)" = 2 ] || fail "one line about it"
said=$("$garner" run --mode stock-workstation -- true 2>&1 >/dev/null)
echo "$said" | grep -q '^garner: .* s, CPU' && ! echo "$said" | grep -q 'never loaded' || fail "a stock mode needs no collector: $said"

said=$(summary --json -- sh "$scratch/collector.sh" 3) && fail "exit code with --json" || code=$?
[ $code = 3 ] || fail "exit code with --json: $code"
for part in '"exit_code":3' '"loaded":true' '"collections":4' '"collections_by_kind":{"full":1,"young0":3}' '"p50":1.5' '"max":10.0' '"heap_after_bytes":1048576'; do
  echo "$said" | grep -qF "$part" || fail "$part is not in $said"
done

# A log that a full disk cut: the last record lacks its end, and how many are missing behind it nobody knows.
{ cat "$scratch/collector.sh" | grep -v '^exit'; echo 'printf "{\"event\":\"cycle_e" >> "$log"'; } > "$scratch/cut.sh"
said=$(summary -- sh "$scratch/cut.sh")
echo "$said" | grep -q '^garner: 4 collections .*, 1 record lost or cut: the figures are not complete$' || fail "a cut log: $said"
summary --json -- sh "$scratch/cut.sh" | grep -qF '"records_lost":1' || fail "a cut log as JSON"

# Its own log goes to the first directory that takes one; without any the program runs all the same, and no other command needs one for what it only reads back.
TMPDIR=$scratch/lib.so summary -- sh "$scratch/collector.sh" | grep -q '^garner: 4 collections' || fail "TMPDIR that is a file"
cat > "$scratch/nowhere.sh" <<'END'
for directory in /tmp /dev/shm; do mount --bind $directory $directory && mount -o remount,bind,ro $directory || exit 77; done
unset TMPDIR
"$@"
END
nowhere() { code=0; unshare -rm sh "$scratch/nowhere.sh" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?; }
nowhere true
if [ $code = 0 ]; then # else a user may not mount
  nowhere "$garner" run --lib "$scratch/lib.so" -- sh -c 'exit 3'
  [ $code = 3 ] && [ "$(wc -l < "$scratch/err")" = 2 ] && grep -q '^garner: no temporary directory can be made in /tmp (Read-only file system), /dev/shm (Read-only file system), so there are no figures of collections here$' "$scratch/err" ||
    fail "run without a directory: exit code $code: $(cat "$scratch/err")"
  nowhere "$garner" doctor
  grep -q '^[a-z]* *library: ' "$scratch/out" && [ ! -s "$scratch/err" ] || fail "doctor without a directory: $(cat "$scratch/err")"
fi

# A file system that has room for a directory and for nothing in it is none for a log.
mkdir "$scratch/full"
cat > "$scratch/full.sh" <<'END'
mount -t tmpfs -o size=4k none "$TMPDIR" || exit 77
head -c 8192 /dev/zero > "$TMPDIR/all there is" 2>/dev/null && exit 78 # there was room for more
"$@"
END
full() { code=0; TMPDIR=$scratch/full unshare -rm sh "$scratch/full.sh" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?; }
full true
[ $code != 78 ] || fail "the file system cannot be filled"
if [ $code != 0 ]; then
  echo "skipped: a full TMPDIR: no file system of its own for a program here"
else
  full "$garner" run --lib "$scratch/lib.so" -- sh "$scratch/collector.sh"
  grep -q '^garner: 4 collections' "$scratch/err" || fail "run beside a full TMPDIR: $(cat "$scratch/err")"
fi

# A command line that is no UTF-8 is told as JSON, and the exit code is the program's.
said=$(summary --json -- sh "$scratch/collector.sh" 3 "$(printf 'caf\351')") && fail "exit code with bytes that are no text" || code=$?
[ $code = 3 ] || fail "exit code with bytes that are no text: $code"
echo "$said" | grep -qF "$(printf 'caf\357\277\275')" || fail "bytes that are no text: $said"

# --log, by its other name too, keeps the records, and only those of this run are summed up.
(cd "$scratch" && "$garner" run --lib lib.so --record-log kept.log -- sh collector.sh && "$garner" run --lib lib.so --log kept.log -- sh collector.sh) 2>"$scratch/err"
[ "$(wc -l < "$scratch/kept.log")" = 10 ] || fail "the log has $(wc -l < "$scratch/kept.log") lines"
[ "$(grep -c ' 4 collections' "$scratch/err")" = 2 ] || fail "records of an earlier run counted: $(cat "$scratch/err")"

# Nor are those of programs that write to the same log meanwhile, whether they began before or after, under garner run too or not.
cat > "$scratch/others.sh" <<'END'
log=$1
cycle() { echo '{"event":"cycle_end","pid":'$1',"kind":"young1","cause":"eden_full","pause_ns":900000000,"heap_after":5}' >> "$log"; }
cycle 77
echo '{"event":"heap_ready","pid":78,"workers":2,"door":"dotnet","preset":"garner"}' >> "$log"
cycle 78
echo '{"event":"heap_ready","pid":79,"workers":2,"door":"dotnet","preset":"garner","run":"other"}' >> "$log"
cycle 79
END
said=$(summary --log "$scratch/shared" -- sh -c "sh '$scratch/others.sh' '$scratch/shared'; sh '$scratch/collector.sh'; sh '$scratch/others.sh' '$scratch/shared'")
echo "$said" | grep -q '^garner: 4 collections (1 full, 3 young0), .* longest 10.0 ms' || fail "collections of others counted: $said"

# What the log holds is the user's affair where he says so; else only what the summary needs.
detail() { "$garner" run --lib "$scratch/lib.so" "$@" -- sh -c 'echo "$GARNER"' 2>/dev/null; }
detail --log "$scratch/plain" | grep -q 'log_detail=plain$' || fail "log_detail where nothing is given"
for given in '-o log_detail=full' '-o general.log_detail=full --log '"$scratch/given"; do
  # shellcheck disable=SC2086 # words are arguments
  detail $given > "$scratch/out"
  grep -q 'log_detail=full' "$scratch/out" && ! grep -q 'log_detail=plain' "$scratch/out" || fail "$given is overruled: $(cat "$scratch/out")"
done
GARNER=log_detail=roots detail --log "$scratch/plain" > "$scratch/out"
grep -q 'log_detail=roots' "$scratch/out" && ! grep -q 'log_detail=plain' "$scratch/out" || fail "GARNER=log_detail=roots is overruled: $(cat "$scratch/out")"

# Where the user wants the log elsewhere, that is respected.
summary -o log=stderr -- true | grep -q 'the log goes to stderr' || fail "log=stderr"
said=$(GARNER="log=$scratch/mine,log_format=json" summary -- sh "$scratch/collector.sh")
echo "$said" | grep -q ' 4 collections' && [ -s "$scratch/mine" ] || fail "a log named in GARNER: $said"

# --log takes a file and nothing else; what cannot be one is said before the program starts.
mkfifo "$scratch/fifo"
mkdir "$scratch/directory"
refused() { # refused PATH TEXT
  code=0
  timeout 10 "$garner" run --lib "$scratch/lib.so" --log "$1" -- touch "$scratch/started" >"$scratch/out" 2>"$scratch/err" || code=$?
  [ $code = 2 ] || fail "--log $1: exit code $code: $(cat "$scratch/err")"
  [ "$(wc -l < "$scratch/err")" = 1 ] && grep -qF -- "$2" "$scratch/err" || fail "--log $1: '$2' is not what was said: $(cat "$scratch/err")"
  [ ! -e "$scratch/started" ] || fail "--log $1: the program was started"
}
refused /dev/full "garner: --log needs a file; '/dev/full' is a device"
refused /dev/zero "'/dev/zero' is a device"
refused "$scratch/fifo" "is a FIFO"
refused "$scratch/directory" "is a directory"
refused "$scratch/none/log" "the directory '$scratch/none' does not exist"
refused "$scratch/lib.so/log" "--log"

# Named in GARNER such a path is the collector's affair; the summary neither waits for it nor reads it.
for path in /dev/full /dev/zero "$scratch/fifo" "$scratch/directory" "$scratch/none/log"; do
  code=0
  said=$(GARNER="log=$path,log_format=json" timeout 10 "$garner" run --lib "$scratch/lib.so" -- sh -c 'exit 3' 2>&1) || code=$?
  [ $code = 3 ] || fail "log=$path in GARNER: exit code $code: $said"
done

exit 0
