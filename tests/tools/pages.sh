# The pages of garner report and reproduce in a browser, on light and dark screens, wide and narrow: charts are drawn, legends and axes are right, text is
# readable and not cut off (pages.html says what is looked at); no error of a script, and the network is asked for nothing.
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
"$garner" simulate "$tree/tests/data/warehouse.garner-heap" --machine amd48 --preset naps,ps,garner --workers 1,8,48 -o replays.html > table
for log in simulated.log nodes.log "$tree/tests/data/one-node.log" "$tree/tests/data/eight-nodes.log"; do "$garner" report "$log" -o "$(basename "$log" .log).html" || fail "report $log"; done
"$garner" reproduce naps/E1 naps/E3 --quick -o experiments > table 2> err || fail "$(tail -n 3 err)"
least='simulated:14:5 nodes:8:0 one-node:4:0 eight-nodes:12:3 index:2:8 replays:8:9' # charts and rows of tables of each page
pages=
for page in simulated nodes one-node eight-nodes experiments/index replays; do pages="$pages&page=$scratch/$page.html"; done

# 0 and 1 are how Chromium counts the schemes; root and containers have no sandbox, and the pages are our own.
for scheme in 0:dark 1:light; do
  dark=$((1 - ${scheme%:*})) name=${scheme#*:}
  HOME=$scratch/home TMPDIR=$scratch timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$scratch/profile" \
    --allow-file-access-from-files --host-resolver-rules='MAP * ~NOTFOUND' --log-net-log="$scratch/$name.net" --enable-logging=stderr \
    --blink-settings=preferredColorScheme="${scheme%:*}" --dump-dom "file://$here/pages.html?dark=$dark$pages" > "$name.dom" 2> "$name.err" || fail "$name: the browser: $(tail -n 3 "$name.err")"
  grep -q '^end$' "$name.dom" || fail "$name: the pages were not looked at: $(head -c 300 "$name.dom") $(tail -n 3 "$name.err")"
  grep 'complaint: ' "$name.dom" | sed -E "s/.*complaint: /$name: /" > complaints || true
  [ ! -s complaints ] || fail "$(wc -l < complaints) complaints: $(head -n 20 complaints)"
  ! grep -q ':CONSOLE' "$name.err" || fail "$name: a page's script says: $(grep -m 3 ':CONSOLE' "$name.err")"
  [ -s "$name.net" ] || fail "$name: the browser kept no record of what it asks the network for"
  ! grep -qE '"url":"(https?|wss?|ftp):' "$name.net" || fail "$name: asks the network for $(grep -oE '"url":"(https?|wss?|ftp):[^"]*"' "$name.net" | sort -u | head -n 3)"
  for one in $least; do
    page=${one%%:*} counts=${one#*:}
    [ "$(sed -nE "s/.*page: .*\/$page\.html, [0-9]+ pixels: ([0-9]+) charts, ([0-9]+) data, ([0-9]+) rows/\1 \2 \3/p" "$name.dom" | awk -v charts="${counts%:*}" -v rows="${counts#*:}" '$1 >= charts && $2 > 0 && $3 >= rows' | wc -l)" = 2 ] ||
      fail "$name: less than ${counts%:*} charts and ${counts#*:} rows in $page.html: $(grep "/$page.html" "$name.dom")"
  done
  rm -rf profile
done
# Nothing of the browser stays.
echo "$scratch" > mine
for second in 1 2 3 4 5; do grep -qsF -f mine /proc/[0-9]*/cmdline || exit 0; sleep 1; done
fail "a process of the browser is still there"
