#!/usr/bin/env bash
# What the simulated machine is told (seam/watch.h, reached and stole of work/config.h) costs the real machine nothing: every file of libgarner-dotnet.so that
# sees these hooks is compiled from three copies of src, with the flags it was built with, and the machine code is compared, function by function.
#   empty    the hooks are there and do nothing: the same instructions, without exception
#   erased   no hook stands in the source; one that returns its field leaves the field: the same strings and tables, and not one instruction fewer. An access
#            through a reference may send the compiler another way than one by name: hooks.golden lists those functions, with the reason
# Not compared: addresses, padding, the order of operands in a test for equality (the compiler takes it from its own numbering, as it does which of two registers
# it takes: a function that differs in nothing else is only said).
# Fails: more instructions than that; a hook that this script does not know, a call over several lines: they do not compile when erased. Built with another major
# version of the compiler: `erased` may be 1 % in all.
#
# Arguments: BUILD [--update | --by-design]. --update writes hooks.golden and the page's sums anew, reasons by hand. --by-design compares nothing: it counts what is no hook and does
# cost something: the looks whether a timeline or a count by node is wanted, and prefetches. Last line "N passed, N failed".
set -u
BUILD=$(cd "${1:?build directory}" && pwd) MODE=${2:-}
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
GOLDEN=$ROOT/tests/golden/hooks.golden
TEMP=$(mktemp -d) && trap 'rm -rf "$TEMP"' EXIT
export LC_ALL=C
MORE= # flags
PASSED=0 FAILED=0
wrong() { FAILED=$((FAILED + 1)); echo "$1"; }
finish() { echo "$PASSED passed, $FAILED failed"; [ $FAILED -eq 0 ] && [ $PASSED -gt 0 ]; exit; }
[ -f "$BUILD/compile_commands.json" ] || { wrong "no compile_commands.json in $BUILD"; finish; }

# ---- the copies ----
# headers KIND, in a copy: what declares the hooks. empty: each has its parameters, and an empty body; erased: none is declared.
headers() {
  local file
  for file in src/seam/watch.h src/work/config.h; do
    awk -v kind="$1" '
      /^template <class (M|Self)(, class T)?> GARNER_INLINE / {
        inside = 1; hooks++
        returns = / T& [a-z]+\(/ ? "return field;" : / bool [a-z]+\(/ ? "return false;" : ""
        head = $0; sub(/ *\{.*/, "", head)
        if (kind == "empty") print head " { " returns " }"
        if (/}$/) inside = 0
        next
      }
      inside { if (/^}/) inside = 0; next }
      { print }
      END { exit hooks == 0 }' "$file" >"$TEMP/header" && cp "$TEMP/header" "$file" || wrong "$1: no hooks found in $file"
  done
}
# Calls of hooks, each on one line: what returns its field leaves it, a question is answered no, a statement goes. Lines keep their numbers.
calls() {
  find src -name '*.h' -o -name '*.ipp' -o -name '*.cc' | grep -v src/machine/sim/ | xargs grep -lE 'reached\(|stole\(|<M>\(|self\.(read|write)\(' | while read -r file; do
    awk '
      function closes(text, from,   depth, i, c) { # where the bracket at `from` closes
        for (i = from; i <= length(text); i++) { c = substr(text, i, 1); if (c == "(") depth++; else if (c == ")" && --depth == 0) return i }
        return 0
      }
      { line = $0; sub(/\/\/.*/, "", line); done = ""
        gsub(/(reads|writes|touches|sets|guesses)<M>\(/, "(", line)
        while (match(line, /(^|[^A-Za-z_0-9.])((reached|stole)\(self|(guessed|guesses_all|saw|mutated)<M>\(|self\.(read|write)\()/)) {
          start = RSTART + (substr(line, RSTART, 1) ~ /[a-z]/ ? 0 : 1); open = start + index(substr(line, start), "(") - 1
          if (!(end = closes(line, open))) break
          done = done substr(line, 1, start - 1) (substr(line, start) ~ /^mutated/ ? "false" : "void()"); line = substr(line, end + 1)
        }
        print done line }' "$file" >"$TEMP/source" && cp "$TEMP/source" "$file"
  done
  # Tables of which the simulated machine is told.
  sed -i -e '/^  if constexpr (requires { machine\.adopt(/,/^  }/d' -e '/^  if constexpr (requires { machine\.forget(/d' src/work/tables.h
}
copy() { mkdir "$TEMP/$1" && cp -r "$ROOT/src" "$TEMP/$1/"; }
# without NAME EXPRESSION FILES…, in a copy: sed, which must find something.
without() {
  local name=$1 expression=$2; shift 2
  cat "$@" | cksum >"$TEMP/before"
  sed -i -E "$expression" "$@"
  if cat "$@" | cksum | cmp -s - "$TEMP/before"; then wrong "--by-design: no $name in $*"; fi
}

# ---- compiling and comparing ----
commands=$(sed -n 's/^ *"command": "\(.*garner-dotnet\.dir.*\)",*$/\1/p' "$BUILD/compile_commands.json" | sed 's/\\"/"/g')
source_of() { sed -E 's/.* -c //' <<<"$1"; }
# compile COPY COMMAND OBJECT. Names of files are said as in the repository; lines of debug information are left out; a function has a section, so that
# addresses count from its begin.
compile() {
  local flags=${2%% -o *} file
  file=$(source_of "$2")
  (cd "$TEMP/$1" && eval "${flags//-I$ROOT\/src/-Isrc} -w -g0 -O2 $MORE -ffunction-sections -ffile-prefix-map=$TEMP/$1/= -o '$3' -c '${file/#$ROOT\/src\//src/}'") 2>"$TEMP/errors" ||
    { wrong "$1: ${file#"$ROOT"/} does not compile: $(grep -m 1 error "$TEMP/errors")"; return 1; }
}
# functions OBJECT: a line each, `symbol TAB instructions TAB conditional jumps TAB prefetches TAB how many of each kind TAB text`. A kind is an instruction and
# what its operands are: registers, memory, constants.
functions() {
  objdump -dr --no-show-raw-insn "$1" | awk '
    function flush(   k, n, i, sorted, all) {
      if (name == "") return
      n = 0
      for (k in kinds) { for (i = ++n; i > 1 && sorted[i - 1] > k; i--) sorted[i] = sorted[i - 1]; sorted[i] = k }
      for (i = 1; i <= n; i++) { all = all kinds[sorted[i]] " " sorted[i] ", "; delete kinds[sorted[i]] }
      print name "\t" count "\t" jumps "\t" ahead "\t" all "\t" text
      name = ""
    }
    /^[0-9a-f]+ <.*>:$/ { flush(); name = substr($2, 2, length($2) - 3); count = jumps = ahead = 0; text = held = ""; next }
    name == "" || !/^[ \t]+[0-9a-f]+:/ { next }
    { gsub(/\t/, " ") }
    /R_X86_64|R_AARCH64/ { sub(/^ +[0-9a-f]+: */, ""); if (/[ ]\.(rodata|text|data|bss|LC)/) sub(/[-+]0x[0-9a-f]+$/, ""); text = text "|" $0; next }
    { sub(/^ +[0-9a-f]+: */, ""); sub(/ *#.*/, ""); sub(/ +$/, "")
      if (/^((cs|data16) )*nop|^xchg +%ax,%ax$|^ud2$/) next
      count++; if (/^prefetch|^prfm/) ahead++; if (/^(j[^m]|b\.|cbn?z|tbn?z)/) jumps++
      gsub(/[0-9a-f]+ <[^>]*>/, "<>")
      kind = $0; gsub(/[-0-9a-fx]*\([^)]*\)/, "m", kind); gsub(/%[a-z0-9]+/, "r", kind); gsub(/\$-?0x[0-9a-f]+/, "i", kind)
      sub(/^cmp +r,m$/, "cmp m,r", kind); kinds[kind]++
      # cmp A,B before a test for equality: operands in one order
      if (held != "" && /^(j|set|cmov)n?e /) { swapped = held; if (b < a) swapped = verb " " b "," a; else swapped = verb " " a "," b; text = substr(text, 1, length(text) - length(held)) swapped }
      held = ""
      text = text "|" $0
      if (match($0, /^cmp[bwlq]? +/)) { verb = substr($0, 1, 3); rest = substr($0, RLENGTH + 1); depth = 0
        for (i = 1; i <= length(rest); i++) { c = substr(rest, i, 1); if (c == "(") depth++; else if (c == ")") depth--; else if (c == "," && depth == 0) break }
        a = substr(rest, 1, i - 1); b = substr(rest, i + 1); if (substr(a, 1, 1) != "$") held = $0 } }
    END { flush() }' | sort
}
# data OBJECT: the bytes of what is no code: strings, tables, variables.
data() { objdump -s "$1" | awk '/^Contents of section/ { shown = $4 !~ /^\.(text|eh_frame|group)/ } shown'; }
# differences A B, files of functions(): those whose text differs, a line per Class::function: `name instances instructions jumps prefetches others`, A minus B;
# others: how many of them differ in more than registers.
differences() {
  join -t "$(printf '\t')" -a 1 -a 2 -e 0 -o 0,1.2,1.3,1.4,1.5,1.6,2.2,2.3,2.4,2.5,2.6 "$1" "$2" | awk -F '\t' '$6 != $11 { print $2 - $7, $3 - $8, $4 - $9, ($5 != $10), $1 }' >"$TEMP/symbols"
  paste -d' ' <(cut -d' ' -f1-4 "$TEMP/symbols") <(cut -d' ' -f5 "$TEMP/symbols" | sed -E 's/\.(isra|part|constprop|lto_priv|cold)(\.[0-9]+)?//g' | c++filt) | awk '
    NF > 4 { text = $0; sub(/^[-0-9]+ [-0-9]+ [-0-9]+ [01] /, "", text); short = ""; depth = 0
      for (i = 1; i <= length(text); i++) { c = substr(text, i, 1); if (c ~ /[<(]/) depth++; else if (c ~ /[>)]/) depth--; else if (depth == 0) short = short c }
      if (match(short, /garner::(dotnet::)?[A-Z][A-Za-z]*::[A-Za-z_0-9]+/)) short = substr(short, RSTART, RLENGTH)
      gsub(/garner::|dotnet::|^.*[)] | const$/, "", short); sub(/^.* /, "", short)
      n[short]++; more[short] += $1; jumps[short] += $2; ahead[short] += $3; others[short] += $4 }
    END { for (k in n) print k, n[k], more[k], jumps[k], ahead[k], others[k] }' | sort
}

copy as_is
if [ "$MODE" = --by-design ]; then
  # What happens when the look finds something is cut off in all of them (a trap, not counted), and nothing is inlined that need not be, since the compiler
  # would inline other functions without the looks.
  MORE='-fno-inline-functions -fno-inline-small-functions -fno-inline-functions-called-once -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra'
  timeline='^( *)if \((GARNER_UNLIKELY\()?([a-z]+)\.timeline != nullptr\)?\) .*;'
  cd "$TEMP/as_is" && without timeline "s/$timeline/\\1if (GARNER_UNLIKELY(\\3.timeline != nullptr)) __builtin_trap();/" src/work/*.ipp src/work/gang.h
  without count_around 's/^( .*[ {(])count_around\(self, .*\);/\1__builtin_trap();/' src/collect/evacuate/*.ipp
  cd "$TEMP" && for kind in timeline by_node prefetch; do cp -r as_is $kind; done
  (cd timeline && without timeline "s/$timeline/\\1;/" src/work/*.ipp src/work/gang.h)
  (cd by_node && without counting_ 's/(\(|\|\| )counting_\)/\1false)/' src/collect/evacuate/*.ipp)
  (cd prefetch && without touch 's/(void touch\(word) at(\) const) \{.*\}/\1\2 {}/' src/machine/linux/linux.h)
  command=$(grep pairs/ <<<"$commands")
  for kind in as_is timeline by_node prefetch; do
    compile $kind "$command" "$TEMP/$kind.o" || finish
    functions $kind.o >$kind.functions
    [ $kind = as_is ] && continue
    echo "$kind: function, instances, and what is there for it: instructions, conditional jumps, prefetches"
    differences as_is.functions $kind.functions | awk '$3 != 0 || $4 != 0 { print " ", $1, $2, $3, $4, $5 }'
    PASSED=$((PASSED + 1))
  done
  finish
fi

copy empty && cd "$TEMP/empty" && headers empty
copy erased && cd "$TEMP/erased" && headers erased && calls
cd "$TEMP" || exit 1

compiler=
: >as_is.all && : >erased.all
while read -r command; do
  file=$(source_of "$command") shown=${file#"$ROOT"/}
  shown=${shown#"$BUILD"/}
  (cd "$ROOT" && eval "${command%% -o *} -MM '$file'") 2>/dev/null | tr -d '\n' | grep -qE 'seam/watch\.h|work/config\.h' || continue
  compile as_is "$command" "$TEMP/as_is.o" || continue
  functions as_is.o >as_is.functions
  [ -n "$compiler" ] || compiler=$(readelf -p .comment as_is.o | sed -nE 's/.*GCC: .* ([0-9]+)\.[0-9.]+.*/gcc-\1/p; s/.*(clang) version ([0-9]+).*/\1-\2/p' | head -n 1)
  compile empty "$command" "$TEMP/empty.o" || continue
  functions empty.o >empty.functions
  differences as_is.functions empty.functions >trace
  awk '$6 == 0 { print $1 ": other registers when hooks do nothing, " $2 " of them" }' trace
  trace=$(awk '$6 != 0 { print $1, $2, $3 }' trace | head -n 8 | paste -sd';')
  if [ -z "$trace" ]; then PASSED=$((PASSED + 1)); else wrong "$shown failed: hooks leave a trace (function, instances, instructions more): $trace"; fi
  compile erased "$command" "$TEMP/erased.o" || continue
  if cmp -s <(data as_is.o) <(data erased.o); then PASSED=$((PASSED + 1)); else wrong "$shown failed: strings or tables are there that are not with the hooks erased"; fi
  cat as_is.functions >>as_is.all && functions erased.o >>erased.all
  echo "$shown: $(wc -l <as_is.functions) functions"
done <<<"$commands"
sort -o as_is.all as_is.all && sort -o erased.all erased.all
[ -s erased.all ] || { [ $FAILED -ne 0 ] || wrong "no file of the library sees a hook"; finish; }
# Functions that several files have: once, as the linker does.
for kind in as_is erased; do awk -F '\t' '!seen[$1]++' $kind.all >$kind.once; done
differences as_is.once erased.once | cut -d' ' -f1-3 >found

if [ "$MODE" = --update ]; then
  { grep '^#' "$GOLDEN" | grep -v '^# compiler'; echo "# compiler $compiler"; cat found; } >new
  cp new "$GOLDEN"
fi

total=$(awk -F '\t' '{ n += $2 } END { print n + 0 }' as_is.once) bare=$(awk -F '\t' '{ n += $2 } END { print n + 0 }' erased.once)
echo "$(wc -l <as_is.once) functions: $total instructions, $bare with the hooks erased; $(awk '{ n += $2 } END { print n + 0 }' found) functions differ"
if [ "$(sed -n 's/^# compiler //p' "$GOLDEN")" != "$compiler" ]; then
  echo "built with $compiler, the golden file with another: 1 % in all is allowed"
  if [ $((total * 100)) -gt $((bare * 101)) ]; then wrong "erased failed: $total instructions with hooks, $bare without"; else PASSED=$((PASSED + 1)); fi
  finish
fi
# The page tells these sums.
thousands() { echo "$1" | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/'; }
functions=$(wc -l <as_is.once)
told="$(thousands "$total") instructions with and $(thousands "$bare") without; $((functions - $(awk '{ n += $2 } END { print n + 0 }' found))) of $functions functions"
[ "$MODE" = --update ] && sed -i -E "s/[0-9,]+ instructions with and [0-9,]+ without; [0-9]+ of [0-9]+ functions/$told/" "$ROOT/docs/simulator.md"
grep -qF "$told" "$ROOT/docs/simulator.md" || wrong "docs/simulator.md does not say: $told"
while read -r name instances more; do
  expected=$(awk -v name="$name" '$1 == name { print $3 }' "$GOLDEN")
  if [ "$more" -gt "${expected:-0}" ]; then wrong "$name failed: $more instructions more with hooks than without; if it is the compiler: $0 BUILD --update, and the reason"
  elif [ -z "$expected" ]; then echo "$name: other instructions with hooks than without, $((-more)) fewer; --update lists it"; fi
done <found
while read -r name _; do
  case $name in '#'* | '') continue ;; esac
  grep -q "^$name " found || echo "$name: the same with hooks and without; --update drops it"
done <"$GOLDEN"
[ $FAILED -eq 0 ] && PASSED=$((PASSED + 1))
finish
