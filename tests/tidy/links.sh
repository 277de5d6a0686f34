#!/usr/bin/env bash
# What a document links to is there: each file that is named, and in documents each heading, by the name that forges give it (small letters, digits, "_" and "-",
# spaces as "-", everything else left out, a second one of a name with "-1").
# One test per document. One line per breach; last line "N passed, N failed".
. "$(dirname "$0")/shared.inc"

# The names of a document's headings, one a line.
headings() {
  awk '/^```/ { fence = !fence } !fence && sub(/^#+ /, "") {
    while (match($0, /\]\([^)]*\)/)) $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
    name = tolower($0); gsub(/[^a-z0-9_ -]/, "", name); gsub(/ /, "-", name)
    print seen[name]++ ? name "-" (seen[name] - 1) : name
  }' "$1"
}
# Its links, one a line; what stands in a block of code is none.
links() { awk '/^```/ { fence = !fence } !fence' "$1" | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^(https?|mailto):' | sort -u; }

documents=$(git ls-files '*.md')
[ "$(echo "$documents" | wc -l)" -gt 10 ] || { echo "few documents were found"; exit 1; }
for document in $documents; do
  verdict "links $document" < <(links "$document" | while read -r link; do
    file=${link%%#*}
    [ -n "$file" ] && file=$(dirname "$document")/$file || file=$document
    [ -e "$file" ] || { echo "$document: no file $link"; continue; }
    [[ $link != *'#'* || $file != *.md ]] || headings "$file" | grep -qxF -- "${link#*#}" || echo "$document: no heading $link"
  done)
done
finish
