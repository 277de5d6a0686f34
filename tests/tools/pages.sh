# The pages of garner report, simulate, reproduce and compare in a browser, on light and dark screens and when one turns into the other, wide and narrow: charts hold their
# data and are drawn in the colours of the screen, legends and axes are right, text is readable and not cut off (pages.html says what is looked at); no error of a
# script, and the network is asked for nothing.
. "$(dirname "$0")/shared.inc"
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$tree" && pwd)
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
[ -n "$browser" ] || { echo "skipped: no Chromium to open the pages in"; exit 77; }
cd "$scratch"
mkdir home

"$garner" simulate "$tree/tests/data/warehouse.garner-heap" --machine amd48 --preset naps --workers 48 --log simulated.log > table
"$garner" simulate "$tree/tests/data/xml-transform.garner-heap" --machine uniform-32x2 --preset garner --workers 64 --log nodes.log > table
"$garner" simulate "$tree/tests/data/xml-transform.garner-heap" --machine epyc-2s --preset naps --workers 192 --log many.log > table
"$garner" simulate "$tree/tests/data/warehouse.garner-heap" --machine amd48 --preset naps,ps,garner --workers 1,8,48 -o replays.html > table
sed 's/"limit":0/"limit":40000000/; /"index":4,/s/young1/full/' "$tree/tests/data/one-node.log" > limited.log
awk 'BEGIN { # more collections than a chart has room for, of two processes
  for (i = 1; i <= 4000; i++) printf "{\"event\":\"cycle_end\",\"pid\":%d,\"index\":%d,\"start_ns\":%.0f,\"pause_ns\":%d,\"kind\":\"%s\",\"cause\":\"eden_full\",\"en_masse\":%s,\"heap_before\":%d,\"heap_after\":%d,\"young_before\":9000000,\"young_after\":1000000,\"old_after\":%d,\"committed\":90000000,\"promoted\":%d,\"copied\":%d}\n",
    7 + i % 2, int((i + 1) / 2), i * 20000000, i % 200 < 2 ? 60000000 : 100000 + i, i % 200 < 2 ? "full" : "young1", i % 50 < 2 ? "true" : "false", 20000000 + i * 1000, 11000000 + i * 1000, 10000000 + i * 1000, i % 50 < 2 ? 8000000 : 300000, i % 50 < 2 ? 0 : 900000 }' > long.log
for log in simulated.log nodes.log many.log limited.log long.log "$tree/tests/data/one-node.log" "$tree/tests/data/eight-nodes.log"; do "$garner" report "$log" -o "$(basename "$log" .log).html" || fail "report $log"; done
"$garner" reproduce naps/E1 naps/E3 --quick -o experiments > table 2> err || fail "$(tail -n 3 err)"
cat > compared.sh <<'EOF'
if [ -n "${DOTNET_GCPath:-}" ]; then log=${GARNER##*log=}; echo '{"event":"heap_ready","pid":1}' >> "${log%%,*}"; fi
[ $((0x${DOTNET_GCHeapHardLimit:-ffffffff})) -ge 1500000 ] || exit 3
echo '{"checksum":"5f","gc":{"pause_total_ms":20,"pause_max_ms":2,"peak_rss_bytes":9000000}}'
EOF
: > lib.so
"$garner" compare --lib lib.so --warmup 0 --runs 3 --with stock-workstation,stock-server --html compared.html -- sh compared.sh > table 2> err || fail "$(tail -n 3 err)"
"$garner" compare --lib lib.so --warmup 0 --runs 3 --at 1.5,2,unlimited --html sized.html -- sh compared.sh > table 2> err || fail "$(tail -n 3 err)"
least='simulated:11:9 nodes:8:12 many:10:9 one-node:7:4 limited:7:6 eight-nodes:12:9 long:5:5 index:2:8 replays:8:10 compared:5:7 sized:5:12' # charts and rows of tables of each page
pages=
for page in simulated nodes many one-node limited long eight-nodes experiments/index replays compared sized; do pages="$pages&page=$scratch/$page.html"; done

# Of some charts, wholly or in part: their axes with units, their legends, what a tooltip tells.
cat > wanted <<'EOF'
simulated.html: Pauses: x 'seconds since the first collection', y 'pause, ms', legend 'young', data 1, tooltip 'collection [0-9]+, young1, [a-z_]+: [0-9.]+ ms'
simulated.html: Collections by length of their pause: x 'pause, ms', y 'collections', legend 'young', data 1, tooltip 'pause, ms: [0-9.]+ to [0-9.]+ / young: 1 collections'
simulated.html: Heap over time: x 'seconds since the first collection', y 'MB', legend 'committed,old,young,heap', data 6, tooltip '.* / committed: [0-9.]+ MB'
simulated.html: Copied and promoted by each collection: x 'seconds since the first collection', y 'MB', legend 'copied,promoted', data 2, tooltip 'collection [0-9]+, copied: [0-9.]+ MB'
simulated.html: What workers' time in collections went into: x 'time in collections, ms', y 'worker', legend 'roots,copy,steal,wait,termination', data [0-9]+, tooltip 'worker [0-9]+ / roots: [0-9.]+ ms'
simulated.html: Workers in the longest collection \(.*, [0-9.]+ ms\): x 'time since the collection was asked for, ms', y 'worker', legend 'roots,copy,steal,wait,termination,phases', data [0-9]{4,}, tooltip 'worker [0-9]+: roots: [0-9.]+ ms'
simulated.html: Bytes copied or marked by workers of each node: x 'node of the worker', y 'MB', legend '', data 8, tooltip 'node of the worker: [0-7] / moved: [0-9.]+ MB'
simulated.html: Accesses by workers to each space: x 'node of the page', y 'accesses', legend 'eden,from,to,old'
simulated.html: Steals by distance: x 'distance: a read of memory there, ns', y 'steals', legend ''
eight-nodes.html: Pauses: x 'seconds since the first collection', y 'pause, ms', legend 'full,young', data 2
eight-nodes.html: Collections by length of their pause: x 'pause, ms', y 'collections', legend 'young,full', data 2
eight-nodes.html: Minimum mutator utilisation: x 'length of the window, ms', y 'least share of a window, %', legend '', data [0-9]{2}, tooltip 'length of the window, ms: 1 / program runs: 0 %'
one-node.html: Minimum mutator utilisation: x 'length of the window, ms', y 'least share of a window, %', legend '', data 22, tooltip 'length of the window, ms: 1 / program runs: 0 %'
one-node.html: Heap over time: x 'seconds since the first collection', y 'MB', legend 'committed,old,large,young,heap', data 21, tooltip 'seconds since the first collection: [0-9.]+ / committed: [0-9.]+ MB'
one-node.html: Copied and promoted by each collection: x 'seconds since the first collection', y 'MB', legend 'copied,promoted', data 6, tooltip 'collection 2, copied: 8.09 MB'
limited.html: Heap over time: x 'seconds since the first collection', y 'MB', legend 'limit,committed,old,large,young,heap', data 24
limited.html: Collections by length of their pause: x 'pause, ms', y 'collections', legend 'young,full', data 3
one-node.html: Workers in the longest collection \(.*\): x '.*, ms', y 'worker', legend '.*phases'
long.html: Pauses: x 'seconds since the first collection', y 'pause, ms', legend 'full, process 7,full, process 8,young, process 7,young, process 8', data 1[0-9]{3}, tooltip 'collection [0-9]+ of process 7, full, eden_full: 60 ms'
long.html: Collections by length of their pause: x 'pause, ms', y 'collections', legend 'young,full'
long.html: Copied and promoted over time: x 'seconds since the first collection', y 'MB in [0-9.]+ ms', legend 'copied,promoted,promoted en masse', data [0-9]{4}
compared.html: stopped ms: x 'run', y 'stopped ms', legend 'garner,stock-workstation,stock-server', data 12, tooltip 'garner, run 1: 20 ms'
sized.html: longest ms: x 'limit, times the minimum heap', y 'longest ms', legend 'garner,stock', data 24, tooltip '1.5 times, garner, run 1: 2 ms'
replays.html: Pause: x 'collector threads', y 'pause, ms', legend 'naps,ps,garner', data 9, tooltip 'collector threads: [0-9]+ / naps: [0-9.]+ ms'
replays.html: Throughput: x 'collector threads', y 'GB/s copied or marked', legend 'naps,ps,garner', data 9, tooltip 'collector threads: [0-9]+ / naps: [0-9.]+ GB/s'
replays.html: Bytes from other nodes: x 'collector threads', y '% of what passed the caches'
replays.html: ps: its shortest pause, [0-9.]+ ms with [0-9]+ threads: x 'time since the collection was asked for, ms', y 'worker', legend 'roots,copy,steal,wait,termination,phases'
EOF

# browse NAME QUERY OPTIONS…: what pages.html finds, in NAME.dom. Root and containers have no sandbox, and the pages are our own.
browse() {
  name=$1 query=$2
  shift 2
  HOME=$scratch/home TMPDIR=$scratch timeout 600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$scratch/profile" \
    --allow-file-access-from-files --host-resolver-rules='MAP * ~NOTFOUND' --log-net-log="$scratch/$name.net" --enable-logging=stderr "$@" \
    --dump-dom "file://$here/pages.html?$query" > "$name.dom" 2> "$name.err" || fail "$name: the browser: $(tail -n 3 "$name.err")"
  rm -rf profile
}
# 0 and 1 are how Chromium counts the schemes. Its clock is a virtual one, so that it waits for what turning the screen brings.
for scheme in 0:dark 1:light; do
  browse "${scheme#*:}" "dark=$((1 - ${scheme%:*}))$pages" --blink-settings=preferredColorScheme="${scheme%:*}" --virtual-time-budget=60000
  grep -q '^end$' "$name.dom" || fail "$name: the pages were not looked at: $(head -c 300 "$name.dom") $(tail -n 3 "$name.err")"
  grep 'complaint: ' "$name.dom" | sed -E "s/.*complaint: /$name: /" > complaints || true
  [ ! -s complaints ] || fail "$(wc -l < complaints) complaints: $(head -n 20 complaints)"
  ! grep -q ':CONSOLE' "$name.err" || fail "$name: a page's script says: $(grep -m 3 ':CONSOLE' "$name.err")"
  [ -s "$name.net" ] || fail "$name: the browser kept no record of what it asks the network for"
  ! grep -qE '"url":"(https?|wss?|ftp):' "$name.net" || fail "$name: asks the network for $(grep -oE '"url":"(https?|wss?|ftp):[^"]*"' "$name.net" | sort -u | head -n 3)"
  for one in $least; do
    page=${one%%:*} counts=${one#*:}
    [ "$(sed -nE "s/.*page: .*\/$page\.html, [0-9]+ pixels.*: ([0-9]+) charts, ([0-9]+) data, ([0-9]+) rows/\1 \2 \3/p" "$name.dom" | awk -v charts="${counts%:*}" -v rows="${counts#*:}" '$1 >= charts && $2 > 0 && $3 >= rows' | wc -l)" = 4 ] ||
      fail "$name: less than ${counts%:*} charts and ${counts#*:} rows in $page.html: $(grep "page: .*/$page.html" "$name.dom")"
  done
  sed -E 's/&lt;/</g; s/&gt;/>/g; s/, (1400|420) pixels(, turned)?: /: /; s/ simulated(, imbalance [0-9.]+)?: x/: x/; s/ imbalance [0-9.]+: x/: x/' "$name.dom" > charts
  while IFS= read -r one; do
    [ "$(grep -cE "chart: .*/$one" charts)" = 4 ] || fail "$name: not in each of four views: '$one'; but: $(grep -F "${one%%:*}: $(echo "$one" | cut -d: -f2 | cut -c2-12)" charts | sort -u | head -n 4)"
  done < wanted
done
# Thousands of spans: drawn without anybody waiting for them. The limit is for machines that have other things to do.
for try in 1 2 3; do
  browse time "time=1&page=$scratch/many.html"
  took=$(sed -nE 's/^.*time: .*many\.html, 1400 pixels: [0-9]{4,} data in ([0-9]+) ms$/\1/p' time.dom)
  [ -n "$took" ] && [ "$took" -lt 2000 ] && break
done
echo "the time lines of many workers: drawn in $took ms"
[ -n "$took" ] && [ "$took" -lt 2000 ] || fail "the time lines of many workers: $(grep 'time: ' time.dom)"
# Nothing of the browser stays.
echo "$scratch" > mine
for second in $(seq 60); do grep -qsF -f mine /proc/[0-9]*/cmdline || exit 0; sleep 1; done
fail "a process of the browser is still there"
