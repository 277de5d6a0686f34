#!/usr/bin/env bash
# Instructions of the hot functions of libgarner-dotnet.so, against fast_paths.golden: that a policy costs nothing where it is off, and
# that a check or a lock has not crept into a path, is proved by counting, not by a sentence.
#
# A line of the golden file is `Class::function instructions locked`. All symbols of that name are summed, lambdas in it included and cold
# parts not, so that it does not matter what the compiler inlines into what below it. Fails: over 10 % and 4 instructions more; one locked
# instruction more; a function that is no longer there. Far fewer is only said. Another major version of the compiler: 50 %.
#
# Arguments: BUILD [--update]. --update counts the same functions anew and drops those that are gone; a new one is a line `Class::function 0 0`
# before it. Last line "N passed, N failed".
set -u
BUILD=${1:?build directory}
LIB=$BUILD/lib/libgarner-dotnet.so
GOLDEN=$(cd "$(dirname "$0")" && pwd)/fast_paths.golden
TEMP=$(mktemp -d) && trap 'rm -rf "$TEMP"' EXIT
[ -f "$LIB" ] || { echo "no library $LIB"; echo "0 passed, 1 failed"; exit 1; }

compiler=$(readelf -p .comment "$LIB" | sed -nE 's/.*GCC: .* ([0-9]+)\.[0-9.]+.*/gcc-\1/p; s/.*(clang) version ([0-9]+).*/\1-\2/p' | head -n 1)

objdump -d --no-show-raw-insn "$LIB" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
  /^ +[0-9a-f]+:\t/ { count[name]++; if ($0 ~ /\tlock / || $0 ~ /\txchg.*\(/) locked[name]++ }
  END { for (n in count) if (n !~ /\.cold/) print count[n], locked[n] + 0, n }' >"$TEMP/symbols"
# A name without template arguments, parameters and what stands before and after Class::function.
paste -d' ' <(cut -d' ' -f1,2 "$TEMP/symbols") <(cut -d' ' -f3 "$TEMP/symbols" | sed -E 's/\.(isra|part|constprop|lto_priv)\.[0-9]+//g' | c++filt) | awk '
  { numbers = $1 " " $2; text = $0; sub(/^[0-9]+ [0-9]+ /, "", text); short = ""; depth = 0
    for (i = 1; i <= length(text); i++) { c = substr(text, i, 1); if (c ~ /[<(]/) depth++; else if (c ~ /[>)]/) depth--; else if (depth == 0) short = short c }
    if (match(short, /garner::(dotnet::)?[A-Z][A-Za-z]*::[A-Za-z_0-9]+/)) { key = substr(short, RSTART, RLENGTH); sub(/^garner::(dotnet::)?/, "", key); sum[key] += $1; locked[key] += $2 } }
  END { for (k in sum) print k, sum[k], locked[k] }' | sort >"$TEMP/found"

if [ "${2:-}" = --update ]; then
  grep '^#' "$GOLDEN" | grep -v '^# compiler' >"$TEMP/new"
  echo "# compiler $compiler" >>"$TEMP/new"
  grep -v '^#' "$GOLDEN" | while read -r name _; do
    grep "^$name " "$TEMP/found" || echo "$name is gone: dropped from the golden file" >&2
  done >>"$TEMP/new"
  cp "$TEMP/new" "$GOLDEN"
fi

PASSED=0 FAILED=0
tolerance=10
[ "$(sed -n 's/^# compiler //p' "$GOLDEN")" = "$compiler" ] || { tolerance=50; echo "built with $compiler, the golden file with another: tolerance $tolerance %"; }
wrong() { FAILED=$((FAILED + 1)); echo "$1; if it is meant: $0 BUILD --update"; }
while read -r name count locked; do
  case $name in '#'* | '') continue ;; esac
  read -r _ now now_locked < <(grep "^$name " "$TEMP/found")
  if [ -z "${now:-}" ]; then wrong "$name failed: no such function in the library (renamed or inlined)"
  elif [ "$now" -gt $((count + 4)) ] && [ $((now * 100)) -gt $((count * (100 + tolerance))) ]; then wrong "$name failed: $now instructions, expected $count"
  elif [ "$now_locked" -gt "$locked" ]; then wrong "$name failed: $now_locked locked instructions, expected $locked"
  else
    PASSED=$((PASSED + 1))
    [ $((now * 100)) -lt $((count * (100 - tolerance) - 400)) ] && echo "$name: only $now instructions, $count before: --update keeps it so"
  fi
  now=
done <"$GOLDEN"
echo "$PASSED passed, $FAILED failed"
[ $FAILED -eq 0 ] && [ $PASSED -gt 0 ]
