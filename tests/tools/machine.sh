#!/bin/sh
# garner machine, as a user runs it: list, show, check, bench, import, calibrate; and bad files get one line and exit code 2.
. "$(dirname "$0")/shared.inc"

"$garner" machine list > "$scratch/list"
for name in amd48 amd48a amd64 xeon-2s epyc-2s cxl-box optane-server uniform-N; do grep -q "^$name " "$scratch/list" || fail "list lacks $name"; done
for file in "$tree"/machines/*.json; do
  "$garner" machine check "$file" | grep -q ': good: ' || fail "check $file"
  "$garner" machine show "$file" > "$scratch/show" || fail "show $file"
  "$garner" machine show --json "$(basename "$file" .json)" | cmp -s - "$file" || fail "show --json is not the file: $file"
done
"$garner" machine show uniform-4x6 --json > "$scratch/uniform.json"
"$garner" machine check "$scratch/uniform.json" > "$scratch/out" || fail "check of a generated machine"
"$garner" machine show amd48 | grep -q '^3 *2-0\|^3  *1-0' || fail "show amd48: the way from 3 to 0"

"$garner" machine bench amd48 --threads 1,8 --megabytes 16 > "$scratch/bench"
"$garner" machine bench amd48 --threads 1,8 --megabytes 16 | cmp -s - "$scratch/bench" || fail "bench does not repeat itself"
grep -q '^balanced-local ' "$scratch/bench" || fail "bench: $(cat "$scratch/bench")"

"$garner" machine import -o "$scratch/box.json" > "$scratch/out" || fail "import of this machine"
"$garner" machine check "$scratch/box.json" > "$scratch/out" || fail "check of the import"
lscpu -J > "$scratch/lscpu" 2>/dev/null && { "$garner" machine import "$scratch/lscpu" > "$scratch/l.json" && "$garner" machine check "$scratch/l.json" > "$scratch/out" || fail "import of lscpu -J"; }
# Without -J the same machine; of a cut-off text one line says what is missing.
lscpu > "$scratch/lscpu.txt" 2>/dev/null && { "$garner" machine import "$scratch/lscpu.txt" > "$scratch/t.json" && cmp -s "$scratch/l.json" "$scratch/t.json" || fail "import of lscpu: not the machine of lscpu -J"; }
echo 'CPU(s):  8' > "$scratch/cut.txt"
bad "cut.txt: lscpu's line 'Thread(s) per core' is missing: all of what LC_ALL=C lscpu prints is needed" machine import "$scratch/cut.txt"
"$garner" machine calibrate --effort 0.002 -o "$scratch/here.json" > "$scratch/out" 2> "$scratch/progress" || fail "calibrate: $(cat "$scratch/progress")"
grep -q '^\[4/4\]' "$scratch/progress" || fail "calibrate shows no progress"
"$garner" machine check "$scratch/here.json" > "$scratch/out" && grep -q '"measured: ' "$scratch/here.json" || fail "check of the calibration"
"$garner" machine bench "$scratch/here.json" --threads 1 --megabytes 1 > "$scratch/out" || fail "bench on the calibration"

head -c 700 "$tree/machines/amd48.json" > "$scratch/cut.json"
sed 's/"threads": 1/"threads": -1/' "$tree/machines/amd48.json" > "$scratch/negative.json"
sed 's/"memory_ns": 65,/"memory_ns": 1e400,/' "$tree/machines/amd48.json" > "$scratch/huge.json"
sed '/"between": \[0, /d; /"between": \[1, 3/s/,$/,/' "$tree/machines/amd48.json" > "$scratch/links.json"
for wait in pause yield; do
  for file in "$tree/machines/amd48.json" "$scratch/uniform.json"; do
    sed "s/\"${wait}_ns\": [0-9.]*/\"${wait}_ns\": 0.0004/" "$file" > "$scratch/idle.json" # nothing, in whole picoseconds
    bad "idle.json: costs.${wait}_ns: must be above 0" machine check "$scratch/idle.json"
  done
done
bad '--help tells more' machine
bad '--help tells more' machine frobnicate
bad "no machine 'amd49'" machine show amd49
bad "no machine 'nofile'; garner machine list names those that come with the program, and a file is told by a slash or .json: ./FILE" machine check nofile
(cd "$scratch" && cp "$tree/machines/amd48.json" mine && bad 'told by a slash or .json: ./mine' machine check mine && "$garner" machine check ./mine > out)
for name in uniform- uniform-0 uniform--3 uniform-+3 uniform-03 'uniform- 3' uniform-3x uniform-x3 uniform-5x0 uniform-0x5 uniform-2x-2 uniform-2x2x2 uniform-8cores uniform-1025 uniform-65x2 uniform-2x1025 \
            uniform-99999999999 uniform-99999999999x2; do
  bad "no machine '$name'; uniform-N has N cores on one node, uniform-KxC has K nodes of C cores: K from 1 to 64, N and C from 1 to 1024" machine show "$name"
done
"$garner" machine show uniform-64x1024 | grep -q '^64 nodes, 65536 cores' || fail "the largest uniform machine"
bad 'cannot be read' machine check "$scratch/none.json"
bad 'cut.json: not JSON' machine check "$scratch/cut.json"
bad 'core.threads: must be a whole number' machine check "$scratch/negative.json"
bad 'huge.json: not JSON' machine check "$scratch/huge.json"
bad 'links: there is no way from node 1 to node 0' machine check "$scratch/links.json"
bad 'amd48 has 1 to 48 threads, not 49' machine bench amd48 --threads 49
changed() { sed "$1" "$tree/machines/amd48.json" > "$scratch/changed.json"; }
changed 's/"garner_machine": 1/"garner_machine": 2/'
bad 'changed.json: garner_machine: this program reads version 1, not 2' machine check "$scratch/changed.json"
changed 's/"memory_ns": 65,/"memory_ns": 1000001,/'
bad 'changed.json: distances.die.memory_ns: must be from 0 to 1000000 nanoseconds' machine check "$scratch/changed.json"
changed 's/"own_hit_ns": 1.9/"own_hit_ns": 1e9/'
bad 'changed.json: core.own_hit_ns: must be from 0 to 1000000 nanoseconds' machine check "$scratch/changed.json"
changed 's/"yield_ns": 500/"yield_ns": 1e9/'
bad 'changed.json: costs.yield_ns: must be from 0 to 10000000 nanoseconds' machine check "$scratch/changed.json"
changed 's/"own_cache_kib": 576/"own_cache_kib": 1048576/'
bad 'changed.json: core.own_cache_kib: the caches of 48 cores and 8 clusters have 50372608 KiB together; at most 4194304 can be simulated' machine check "$scratch/changed.json"
changed 's/"shared_cache_kib": 5120/"shared_cache_kib": 4194304/'
bad 'changed.json: core.shared_cache_kib: the caches of' machine check "$scratch/changed.json"
long=$(printf '%01001d' 0)
changed "s/\"name\": \"amd48\"/\"name\": \"${long%??????????}\"/"
bad 'changed.json: name: must have at most 100 characters, not 991' machine check "$scratch/changed.json"
changed "s/\"about\": \"[^\"]*\"/\"about\": \"$long\"/"
bad 'changed.json: about: must have at most 1000 characters, not 1001' machine check "$scratch/changed.json"
xs=$(printf '%0100000d' 0)
printf '{"garner_machine": 1, "name": "x", "about": "", "%s": 1, "uniform": {"nodes": "%s"}}' "$xs" "$xs" > "$scratch/giant.json"
bad 'giant.json: uniform.nodes: must be a whole number from 1 to 64, not text' machine check "$scratch/giant.json"
[ "$(wc -c < "$scratch/err")" -lt 400 ] || fail "a giant value: $(wc -c < "$scratch/err") bytes are said"
printf '{"garner_machine": "%s' "$xs" > "$scratch/giant.json"
bad '000…' machine check "$scratch/giant.json"
[ "$(wc -c < "$scratch/err")" -lt 400 ] || fail "a giant value: $(wc -c < "$scratch/err") bytes are said"
changed 's/"page_kib": 4/"a\\u001b[31m\\u009b\\nb": 1, "page_kib": 4/'
bad 'changed.json: a\x1b[31m\u009b\nb: is no key of a machine file' machine check "$scratch/changed.json"
changed 's/"within_cluster": "die"/"within_cluster": "\\u001bdie"/'
bad 'changed.json: within_cluster: must be one line of printable text' machine check "$scratch/changed.json"
changed 's/\["die", "package"/["\\u001bdie", "package"/'
bad "changed.json: distance[0][0]: '\\x1bdie' is none of" machine check "$scratch/changed.json"
changed 's/"two hops"/"two\\u001bhops"/g'
bad 'changed.json: distances: a name must be one line of printable text' machine check "$scratch/changed.json"
escape=$(printf '\033')
bad "no machine '\\x1b[31m'" machine show "${escape}[31m"
bad "no machine 'uniform-\\x1b[31m'" machine show "uniform-${escape}[31m"
bad '\x1b/x: cannot be read' machine show "$escape/x"
bad 'cannot be read' machine import "$scratch/none.xml"
printf '<topology' > "$scratch/${escape}[2Jx"
bad '\x1b[2Jx: ' machine import "$scratch/${escape}[2Jx"
bad '\x1b[2Jy: cannot be read' machine import "$scratch/${escape}[2Jy"
bad '\x1b[2J' machine list "${escape}[2J"
"$garner" machine import -o "$scratch/box.json" --name box > "$scratch/out"
"$garner" machine import --name box -o "$scratch/${escape}box" | grep -qF '\x1bbox: ' || fail "import prints a file's name as it is"
# Where nothing can be written is seen before half a minute of measuring; nothing is left there by looking.
mkdir "$scratch/directory"
for out in "$scratch/directory" "$scratch/none/x.json" /proc/x.json; do
  code=0
  timeout 25 "$garner" machine calibrate --effort 100 -o "$out" > "$scratch/out" 2> "$scratch/err" || code=$?
  [ $code = 2 ] && [ "$(wc -l < "$scratch/err")" = 1 ] && grep -qF "cannot write '$out': " "$scratch/err" || fail "calibrate -o $out: exit code $code: $(cat "$scratch/err")"
done
for effort in nan -nan inf 0 1e9; do bad effort machine calibrate --effort "$effort" -o "$scratch/never.json"; done
bad "cannot write '/proc/x.json': no file can be made in its directory" machine calibrate -o /proc/x.json
[ -z "$(ls "$scratch/directory")" ] || fail "something in the directory"
"$garner" machine import -o "$scratch/directory/x.json" > "$scratch/out" && [ "$(ls "$scratch/directory")" = x.json ] || fail "import leaves something beside its file"
"$garner" options --man | grep -q 'machine calibrate' || fail "the man page lacks calibrate"
"$garner" machine bench uniform-4x6 --megabytes 4 | grep -q '^balanced-remote ' || fail "bench uniform-4x6"
echo nonsense > "$scratch/nonsense"
bad 'is neither a directory' machine import "$scratch/nonsense"
echo '<topology' > "$scratch/xml"
bad "hwloc's XML is cut off" machine import "$scratch/xml"
for threads in 99999999999999999999 -2 0; do
  echo '{"lscpu": [{"field": "CPU(s):", "data": "8"}, {"field": "Thread(s) per core:", "data": "'$threads'"}]}' > "$scratch/threads"
  bad "threads: 'Thread(s) per core' must be a number from 1 to 8, not '$threads'" machine import "$scratch/threads"
done
echo '<topology><info name="CPUModel" value="&unknown;"/></topology>' > "$scratch/xml"
bad "xml: hwloc's XML has '&unknown;', which stands for no character" machine import "$scratch/xml"
bad 'no devices/system/node' machine import "$scratch"
exit 0
