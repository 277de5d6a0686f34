# `garner bench` with workloads that are shell scripts: search, cache, tables, checks.
. "$(dirname "$0")/shared.inc"
mkdir -p "$scratch/bench/dotnet"
cd "$scratch/bench/dotnet"
bench() { # bench CODE ARGUMENTS...
  want=$1
  shift
  code=0
  "$garner" bench --bench-dir "$scratch/bench/dotnet" --runs 1 "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  [ $code = "$want" ] || fail "bench $*: exit code $code, not $want: $(cat "$scratch/out" "$scratch/err")"
}
has() { grep -qF "$1" "$scratch/out" || fail "'$1' is not in: $(cat "$scratch/out" "$scratch/err")"; }

# Works from a heap of 40 MB on; counts its runs; its checksum depends on its parameter, and on the mode where asked.
cat > work.sh <<END
echo "\$*" >> "$scratch/runs"
[ -e input ] || exit 5
limit=\$((0x\${DOTNET_GCHeapHardLimit:-7fffffff}))
[ \$limit -ge 40000000 ] || exit 3
sum=\$1
[ -n "\${DOTNET_GCPath:-}" ] && sum=wrong
[ "\${DOTNET_gcServer:-0}\$1" = "1n=2" ] && exit 3
echo "{\"checksum\":\"\$sum\",\"operations\":1,\"gc\":{\"pause_total_ms\":4,\"pause_max_ms\":2}}"
END
cat > trees.bench <<END
[workload]
name = trees
stresses = Nothing much.
prepare = sh $PWD/prepare.sh
command = sh $PWD/work.sh {parameters}
compare = checksum operations
[small]
parameters = n=1
[normal]
parameters = n=2
END
echo "echo made >> $scratch/prepared; touch input" > prepare.sh
echo 'echo x > out.txt' > write.sh
sed "s|name = trees|name = files|; s|^command.*|command = sh $PWD/write.sh|"'; s/^compare.*/compare = out.*\nresult = files/' trees.bench > files.bench

bench 0 trees --size small --minheap
has trees
grep -q 'minimum heap 3[89]\.\|minimum heap 4[0-2]\.' "$scratch/err" || fail "the minimum heap: $(cat "$scratch/err")"
searched=$(wc -l < "$scratch/runs")
bench 0 trees --size small --minheap
[ "$(wc -l < "$scratch/runs")" = "$searched" ] || fail "the minimum heap was searched again"
[ "$(wc -l < "$scratch/prepared")" = 1 ] || fail "prepared $(wc -l < "$scratch/prepared") times"

bench 0 trees --size small --modes stock-workstation,stock-server --at 1.5,unlimited --check --out "$scratch/results"
has 'CPU s, 1.5x the minimum heap'
has 'longest ms, no limit'
has 'geometric mean'
[ "$(wc -l < "$scratch/runs")" = $((searched + 4)) ] || fail "runs: $(wc -l < "$scratch/runs")"
grep -q '"limit_bytes"' "$scratch/results/bench.json" && grep -q '^| trees |' "$scratch/results/bench.md" || fail "written results"

# A workload's word for damaged objects is never a matter of the heap's size.
sed "s|name = trees|name = damaged|; s|work.sh|damaged.sh|" trees.bench > damaged.bench
sed 's/|| exit 3/|| exit 4/; /runs"$/d' work.sh > damaged.sh
bench 1 damaged --size small --minheap --check
grep -q '^garner: damaged: damaged with [0-9]* bytes of heap: exit code 4' "$scratch/err" || fail "exit code 4 of a workload: $(cat "$scratch/err")"
rm damaged.bench

# Where results cannot go is told before anything runs.
bench 2 trees --size small --modes stock-workstation --at unlimited --out "$PWD/work.sh"
grep -q "^garner: cannot write '$PWD/work.sh/bench.json': " "$scratch/err" && [ "$(wc -l < "$scratch/runs")" = $((searched + 4)) ] || fail "--out that is a file: $(cat "$scratch/err")"

# A stock mode that fails is shown and is not an error; the first mode's failure is.
bench 0 trees --modes stock-workstation,stock-server --at unlimited --check
has 'trees at no limit: stock-server failed: exit code 3'
bench 1 trees --modes stock-server,stock-workstation --at unlimited --check
bench 0 trees --modes stock-server,stock-workstation --at unlimited

# A result that is not stock's.
printf 'log=${GARNER##*log=}; echo "{\\"event\\":\\"heap_ready\\",\\"pid\\":1}" >> "${log%%%%,*}"\n' > loaded.sh
sed -i "s|^\[ -n .*|if [ -n \"\${DOTNET_GCPath:-}\" ]; then sum=wrong; . $PWD/loaded.sh; fi|" work.sh
: > lib.so
bench 1 trees --size small --lib lib.so --modes garner,stock-workstation --at unlimited --check
has "result DIFFERS: stock and garner: 'checksum n=1, operations 1' and 'checksum wrong, operations 1'"

bench 0 files --size small --modes stock-workstation --at unlimited --check
bench 0 --list
has 'Nothing much.'
bench 2 nothing
grep -q "^garner: no workload 'nothing' in .*: files, trees$" "$scratch/err" || fail "unknown workload: $(cat "$scratch/err")"
bench 2 trees --size large
bench 2 trees --at 0.5
bench 2 trees --modes nonsense
echo 'broken' > z.bench
bench 2 --list
grep -q "^garner: z.bench:1: expected key = value, found 'broken'$" "$scratch/err" || fail "a broken file: $(cat "$scratch/err")"
exit 0
