#!/usr/bin/env bash
# tests/CHECKLISTS.md against the tree: each row of the papers' two checklists is a test of that name.
#   row       each of N1 to N28 and T1 to T16 has a row; every row of the tables is of one of them, and names a test
#   tests N1  what the rows of N1 name is there: a test of the file named before it, not switched off ...
#   names N1  ... and N1 stands in its name
# One line per breach; last line "N passed, N failed".
. "$(dirname "$0")/shared.inc"
LIST=tests/CHECKLISTS.md
ALL=$(seq -f 'N%g' 1 28; seq -f 'T%g' 1 16)
# Every test of a row, "TAG LINE FILE SUITE.NAME" a line: in the third column a name with a slash is a file, one with a dot a test of it.
entries() {
  awk -F' *[|] *' '/^[|] [NT][0-9]+ [|]/ {
    n = split($4, part, "`"); file = "-"; some = 0
    for (i = 2; i <= n; i += 2)
      if (part[i] ~ "/") file = part[i]
      else { print $2, NR, file, part[i]; some = 1 }
    if (!some) print $2, NR, "-", "-"
  }' "$LIST"
}
ENTRIES=$(entries)

verdict row < <(
  for tag in $ALL; do grep -q "^$tag " <<<"$ENTRIES" || echo "$LIST has no row for $tag"; done
  while read -r tag line _ test; do
    grep -qx "$tag" <<<"$ALL" || echo "$LIST:$line: there is no $tag"
    [ "$test" = - ] && echo "$LIST:$line names no test for $tag"
  done <<<"$ENTRIES"
  grep -nE '^\|' "$LIST" | grep -vE '^[0-9]+:\| ([NT][0-9]+|tag) \||^[0-9]+:\|[-|]+$' | sed "s|^|$LIST:|; s|\$|: a row of no tag|"
)
for tag in $ALL; do
  mine=$(grep "^$tag " <<<"$ENTRIES" | grep -v ' -$')
  verdict "tests $tag" < <([ -n "$mine" ] && while read -r _ line file test; do
    grep -qsE "^(TEST|TEST_F|TEST_P|TYPED_TEST)\(${test%%.*}, ${test#*.}\)" "tests/$file.cc" || echo "$LIST:$line: no test $test in tests/$file.cc"
  done <<<"$mine")
  verdict "names $tag" < <([ -n "$mine" ] && while read -r _ line _ test; do
    [[ ${test#*.} =~ $tag([^0-9]|$) && ${test#*.} != DISABLED_* ]] || echo "$LIST:$line: $tag does not stand in the name of $test"
  done <<<"$mine")
done
finish
