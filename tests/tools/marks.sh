# `garner marks` with workloads that are shell scripts: verdicts, losses, going on where it was, choices, checks.
. "$(dirname "$0")/shared.inc"
mkdir -p "$scratch/bench/dotnet"
cd "$scratch/bench/dotnet"
: > "$scratch/runs"
echo one > lib.so
marks() { # marks CODE ARGUMENTS...
  want=$1
  shift
  code=0
  "$garner" marks --bench-dir "$scratch/bench/dotnet" --lib "$PWD/lib.so" --size small --runs 1 "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  [ $code = "$want" ] || fail "marks $*: exit code $code, not $want: $(cat "$scratch/out" "$scratch/err")"
}
has() { tr -s ' ' < "$scratch/out" | grep -qF -- "$1" || fail "'$1' is not in: $(cat "$scratch/out" "$scratch/err")"; }
lacks() { ! tr -s ' ' < "$scratch/out" | grep -qF -- "$1" || fail "'$1' is in: $(cat "$scratch/out")"; }
runs() { wc -l < "$scratch/runs"; }

# Works from a heap of 40 MB on. On stock it stops for 16 ms, for 8 at most; here for 8 and 2, `slow` for 20 at most; with one worker for 24. `wrong` has another
# result here, `failing` fails here with a limit, `hungry` takes more of a processor. The file `stop` names the workload that interrupts the command. The log says that the collector was loaded.
cat > work.sh <<END
echo "\$* \${GARNER:-} \${DOTNET_GCPath:-stock}" >> "$scratch/runs"
[ "\$(cat "$scratch/stop" 2>/dev/null)" != "\$1" ] || kill -INT \$PPID
[ \$((0x\${DOTNET_GCHeapHardLimit:-7fffffff})) -ge 40000000 ] || exit 3
longest=8 total=16 sum=1 ns=30
if [ -n "\${DOTNET_GCPath:-}" ]; then
  longest=2 total=8 ns=12
  [ "\$1" != slow ] || longest=20
  [ "\$1" != wrong ] || sum=2
  [ "\$1" != hungry ] || for i in \$(seq 60000); do :; done
  [ "\$1" != failing ] || [ -z "\${DOTNET_GCHeapHardLimit:-}" ] || exit 3
  case \$GARNER in *workers=1,*) total=24 ns=18 ;; esac
  log=\${GARNER##*log=}
  echo '{"event":"heap_ready","pid":1}' >> "\${log%%,*}"
fi
echo "{\"checksum\":\"\$sum\",\"operations\":1,\"gc\":{\"pause_total_ms\":\$total,\"pause_max_ms\":\$longest},\"figures\":{\"ns_per_object\":\$ns,\"mb_per_s\":30,\"copying_mb_per_s\":40}}"
END
for name in quick slow wrong failing hungry survivors; do
  cat > $name.bench <<END
[workload]
name = $name
stresses = Nothing much.
command = sh $PWD/work.sh $name {parameters}
compare = checksum operations
[small]
parameters = n=1
END
done

# Verdicts, and where it loses.
marks 0 stopped longest --workloads quick,slow --at 2,unlimited --md "$scratch/out.md" --json "$scratch/out.json"
has 'R3 stopped time with a limit, of the best stock mode ≤ 0.50 0.50 yes'
has 'R4 longest pause, of the better of stock-workstation and stock-server ≤ 0.50 0.79: 0.79 at 2, 0.79 unlimited no'
has 'longest pause, stock-server-datas among them - 0.79: 0.79 at 2, 0.79 unlimited -'
has 'slow at 2: 2.50 of stock-workstation'
has 'slow unlimited: 2.50 of stock-workstation'
lacks 'quick at 2: '
has 'longest ms, of the best of them'
has 'quick 0.25 0.25'
has 'slow 2.50 2.50'
has 'geometric mean 0.79 0.79'
has 'longest ms, 2x the minimum heap'
has 'gar/best'
grep -q '^| R3 .* | yes |$' "$scratch/out.md" && grep -q '"holds": "no"' "$scratch/out.json" && grep -q '"part": "slow at 2"' "$scratch/out.json" || fail "written results"
grep -q '^garner: 4 of 4: slow unlimited: done$' "$scratch/err" || fail "a line for each part: $(cat "$scratch/err")"

# Nothing is run again; other rows over the same parts neither.
done=$(runs)
marks 0 stopped --workloads quick,slow --at 2,unlimited --check
marks 1 R4 --workloads quick,slow --at 2,unlimited --check
marks 0 --rows R3,stopped --workloads quick --at 2 --check
[ "$(runs)" = "$done" ] && [ ! -s "$scratch/err" ] || fail "kept parts were run again: $(cat "$scratch/err")"
marks 0 stopped --workloads quick --at 2 --again
[ "$(runs)" = $((done + 5)) ] || fail "--again: $(($(runs) - done)) runs"
done=$(runs)
echo two > lib.so
marks 0 stopped --workloads quick --at 2 --told
has 'R3 stopped time with a limit, of the best stock mode ≤ 0.50 - not measured'
has 'Not measured:'
marks 1 stopped --workloads quick --at 2 --told --check
[ "$(runs)" = "$done" ] || fail "--told ran something"
marks 0 stopped --workloads quick --at 2
[ "$(runs)" = $((done + 5)) ] || fail "another library: $(($(runs) - done)) runs"

# What was interrupted goes on where it was.
echo slow > "$scratch/stop"
marks 130 stopped --workloads quick,slow --at 1.5
grep -q 'quick at 1.5: done' "$scratch/err" || fail "before the interruption: $(cat "$scratch/err")"
marks 0 stopped --workloads quick,slow --at 1.5 --told
has '0.50 (1 of 2 parts) not measured'
has ' slow at 1.5'
rm "$scratch/stop"
done=$(runs)
marks 0 stopped --workloads quick,slow --at 1.5
[ "$(runs)" = $((done + 5)) ] || fail "going on: $(($(runs) - done)) runs"

# What one run says is slower is told by three, which are kept like any other part.
done=$(runs)
marks 0 cpu --workloads hungry,quick --at unlimited
grep -q 'hungry unlimited, again: done' "$scratch/err" || fail "cpu: $(cat "$scratch/err")"
has 'R2 processor time, none above, of stock-workstation'
done=$(runs)
marks 0 cpu --workloads hungry --at unlimited
[ "$(runs)" = "$done" ] || fail "cpu, kept: $(($(runs) - done)) runs more"
marks 0 cpu --workloads hungry --at unlimited --told
lacks 'Not measured:'

# Results that differ, runs that fail where stock's do not, and 1.3 times the minimum heap.
marks 1 finishes --workloads quick,wrong,failing --at 2 --check
has 'R1 finishes with stock'"'"'s result where any stock mode finishes all 1 of 3 no'
has 'R1 the same at 1.3x the minimum heap all 1 of 3 no'
has "wrong at 2: result differs: stock and garner: 'checksum 1, operations 1' and 'checksum 2, operations 1'"
has 'failing at 1.3: garner failed: exit code 3'
marks 0 longest --workloads failing,quick --at 2
has 'failing at 2: garner failed'

# Rows of one workload.
marks 0 survivors --check --out "$scratch/elsewhere"
[ -s "$scratch/elsewhere/parts.json" ] || fail "--out"
has 'R7 survivors of 48 bytes, ns each ≤ 18 12.0 (30.0 stock-workstation, 30.0 stock-server) yes'
has 'R7 surviving arrays of 8 KB, of the rate of copying ≥ 0.50 0.75: 30 of 40 MB/s yes'
grep -q '^survivors n=1 objects=8000 bytes=8192 ' "$scratch/runs" || fail "the words of a part: $(tail -1 "$scratch/runs")"

# Choices of the design, as ratios to the collector as it is.
done=$(runs)
marks 0 --ablation workers=1 --workloads quick,survivors --check --json "$scratch/out.json"
has 'workers=1: One thread collects.'
tr -s ' ' < "$scratch/out" | grep -qE '^quick at 2 [-.0-9]+ [-.0-9]+ 3\.00 1\.00$' || fail "choices: $(cat "$scratch/out")"
has ' 3.00 1.00 ns per object 1.50'
grep -q '"pause_total_ms": 3.0' "$scratch/out.json" || fail "ratios as JSON: $(cat "$scratch/out.json")"
kept=$(runs)
marks 0 --ablation workers=1 --workloads quick,survivors
[ "$(runs)" = "$kept" ] && [ "$kept" -gt "$done" ] || fail "choices are kept too: $done, $kept, $(runs)"
marks 0 --ablation heap.hold=off --workloads quick --told
has 'quick at 2 - - - - not measured'

marks 0 --list
has 'R5 concurrent processor time, of stock-concurrent ≤ 1.00'
marks 0 --ablation --list
has 'collect.ahead=0'
[ "$(runs)" = "$kept" ] || fail "--list ran something"

# Bad input, before anything runs.
cd "$scratch"
dir=$scratch/bench/dotnet
bad "no row 'nothing': R1 finishes, R2 cpu" marks --bench-dir "$dir" --lib "$dir/lib.so" nothing
bad "no choice 'colour=blue'" marks --bench-dir "$dir" --lib "$dir/lib.so" --ablation colour=blue
bad "no workload 'none'" marks --bench-dir "$dir" --lib "$dir/lib.so" cpu --workloads none
bad '0.5' marks --bench-dir "$dir" --lib "$dir/lib.so" cpu --at 0.5
bad '--told' marks --bench-dir "$dir" --lib "$dir/lib.so" --told --again
bad 'no library at' marks --bench-dir "$dir" --lib "$scratch/none.so" cpu
[ "$(runs)" = "$kept" ] || fail "bad input ran something"
exit 0
