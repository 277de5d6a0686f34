#!/usr/bin/env bash
# Mechanism tags, code, tests and docs/status.md belong together:
#   source    each of N1 to N25 and T1 to T16 but T15 is cited in code of src/, tables of options and READMEs not counted; N26 to N28 and T15, by which
#             the others are measured, in code of tools/
#   test      ... and by a test, in a comment or a name
#   rows      status.md has one row for each of N1 to N28 and T1 to T16, and it names a test that cites the tag
#   named     what a row calls its test is there: a native test, a script, or a conformance program
#   figure    a row of a mechanism names experiments that docs/reproduce.md has, those among them that its table of mechanisms gives for the tag
#   words     a tag that neither code nor the list below knows is a slip of the pen
# One line per breach; last line "N passed, N failed".
. "$(dirname "$0")/shared.inc"
STATUS=docs/status.md
MEASURES='N26 N27 N28 T15'
ALL=$(seq -f 'N%g' 1 28; seq -f 'T%g' 1 16)
sources=$(git ls-files 'src/*.h' 'src/*.cc' 'src/*.ipp' 'src/*.S' | grep -v '^src/options/table.h$')
tools=$(git ls-files 'tools/*.h' 'tools/*.cc')
# Classes called N1 in a C# program are no citation; this file is none either.
tests=$(git ls-files 'tests/*.cc' 'tests/*.h' 'tests/*.ipp' 'tests/*.sh' | grep -v '^tests/tidy/')
cites() { grep -lE "(//|#|TEST).*\b$1\b" $2; } # TAG FILES: the files that cite it
row() { grep -E "^\| $1 \|" "$STATUS"; }
# What the last column of a row names, one name a line; "(row `full`)" and the like are remarks.
named() { sed -E 's/\([^)]*\)//g; s/ *\| *$//; s/.*\|//' | grep -oE '`[^`]+`' | tr -d '`'; }
# NAME -> a file, or nothing. Names without a directory are in tests/work/ or conformance programs; a star may end one.
place() {
  local found
  for found in tests/$1.cc tests/work/$1.cc tests/$1.sh tests/$1; do [ -e "$found" ] && { echo "$found"; return; }; done
  [[ $1 == */* ]] || grep -oE '^\| `[a-z0-9-]+`' tests/door/dotnet/CONFORMANCE.md | tr -d '|` ' | while read -r found; do
    [[ $found == $1 ]] && { echo tests/door/dotnet/CONFORMANCE.md; break; }
  done
}

for tag in $ALL; do
  case " $MEASURES " in *" $tag "*) room=tools files=$tools ;; *) room=src files=$sources ;; esac
  verdict "source $tag" < <([ -n "$(cites $tag "$files")" ] || echo "no file of $room/ cites $tag")
  verdict "test $tag" < <([ -n "$(cites $tag "$tests")" ] || echo "no test cites $tag")
  verdict "row $tag" < <(for name in $(row $tag | named); do [ -n "$(cites $tag "$(place "$name")" 2>/dev/null)" ] && exit; done
    echo "no test in the row of $tag in $STATUS cites $tag")
done
verdict rows < <(for tag in $ALL; do [ "$(row $tag | wc -l)" = 1 ] || echo "$STATUS has $(row $tag | wc -l) rows for $tag"; done)
# Rows of mechanisms have seven columns, those of the contract four; both end with their tests.
verdict named < <(grep -nE '^\| ' "$STATUS" | grep -vE '^[0-9]+:\| (tag|point|option) ' | while IFS= read -r line; do
  case $(grep -o ' |' <<<"$line" | wc -l) in 4 | 7) ;; *) continue ;; esac
  for name in $(named <<<"$line"); do [ -n "$(place "$name")" ] || echo "$STATUS:${line%%:*} names $name: no such test"; done
done)
# The experiments that a row names, and those of TAG in the table of docs/reproduce.md; there tags stand as "N1 to N14, N16". One a line.
figures() { row "$1" | awk -F ' [|] ?' '{ print $(NF - 2) }' | tr -s ', ' '\n'; }
in_table() {
  sed -n '/^## Which experiment shows/,$p' docs/reproduce.md | grep -E '^\| [NT][0-9]' | awk -F '|' -v tag="$1" '
    { cell = $2; gsub(/[,:;]/, " ", cell); n = split(cell, word, " "); found = 0
      for (i = 1; i <= n; i++) {
        if (word[i] == tag) found = 1
        if (word[i] == "to" && substr(word[i - 1], 1, 1) == substr(tag, 1, 1) && substr(word[i - 1], 2) + 0 <= substr(tag, 2) + 0 && substr(tag, 2) + 0 <= substr(word[i + 1], 2) + 0) found = 1
      }
      if (found) print $3 }' | grep -oE '\b[EX][0-9]+\b|all of NAPS' | tr ' ' '\n'
}
for tag in $ALL; do
  verdict "figure $tag" < <([ -n "$(figures $tag)" ] || echo "the row of $tag in $STATUS names no experiment"
    for name in $(figures $tag); do
      case $name in all | of | NAPS) continue ;; esac
      grep -q "/$name\b" docs/reproduce.md || echo "the row of $tag in $STATUS names $name: no such experiment in docs/reproduce.md"
    done
    for name in $(in_table $tag); do figures $tag | grep -qx "$name" || echo "docs/reproduce.md gives $name for $tag, its row in $STATUS does not"; done)
done
verdict words < <(grep -noE '\bN[0-9]+\b' $sources $tests docs/*.md | while IFS=: read -r file at tag; do
  grep -qx "$tag" <<<"$ALL" || echo "$file:$at cites $tag"
done)
finish
