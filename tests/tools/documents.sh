# What is printed from the options table is what the documents hold: docs/options.md is up to date, the man page is sound, JSON is JSON.
. "$(dirname "$0")/shared.inc"

"$garner" options --md > "$scratch/options.md"
cmp -s "$scratch/options.md" "$tree/docs/options.md" || fail "docs/options.md is out of date: garner options --md > docs/options.md"

"$garner" options --man > "$scratch/garner.1"
if command -v groff > /dev/null; then
  groff -man -ww -Tutf8 -P-c "$scratch/garner.1" > "$scratch/garner.txt" 2> "$scratch/warnings" || fail "groff: $(cat "$scratch/warnings")"
  [ -s "$scratch/warnings" ] && fail "groff: $(head -3 "$scratch/warnings")"
fi
for word in run compare bench marks options doctor machine record simulate advise reproduce report top SYNOPSIS 'EXIT STATUS'; do grep -q "$word" "$scratch/garner.1" || fail "the man page lacks $word"; done

"$garner" options > "$scratch/plain"
"$garner" options --json > "$scratch/options.json"
names=$(grep -o '"name": "[^"]*"' "$scratch/options.json" | cut -d'"' -f4)
[ "$(echo "$names" | wc -l)" -gt 40 ] || fail "few options in the JSON"
for name in $names; do
  grep -q "^$name = " "$scratch/plain" || fail "$name is not in the plain list"
  grep -qF "| \`$name\` |" "$scratch/options.md" || fail "$name is not in the markdown"
  grep -qF "\\fB$name\\fR" "$scratch/garner.1" || fail "$name is not in the man page"
done
exit 0
