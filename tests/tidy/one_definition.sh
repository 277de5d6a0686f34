#!/usr/bin/env bash
# One definition: no two files define a type of the same name in the same namespace. The compiler sees one file at a time and the linker keeps one of the functions that both
# made of it, so the other file's objects are then handled as what they are not. Named namespaces at the left margin only; what a file keeps to itself is in one without a name.
# Arguments: BUILD, which is not looked at. Last line "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
# FILES on stdin: "namespace::Type file" for each definition.
definitions() {
  xargs awk '
    FNR == 1 { depth = 0 }
    /^namespace .*\{$/ { name[++depth] = $2 == "{" ? "" : $2; next }
    /^\} \/\/ namespace/ { if (depth > 0) depth--; next }
    /^(template <.*> )?(struct|class|enum class|union) [A-Za-z_0-9]+/ && /\{/ {
      line = $0
      sub(/^template <.*> (struct|class)/, "struct", line)
      sub(/^(struct|enum class|class|union) (alignas\([^)]*\) )?/, "", line)
      match(line, /^[A-Za-z_0-9]+/)
      if (substr(line, RLENGTH + 1, 1) ~ /[<:]/ && substr(line, RLENGTH + 2, 1) != " ") next # a specialization, or a type within another
      whole = ""
      for (i = 1; i <= depth; i++) { if (name[i] == "") next; whole = whole name[i] "::" }
      print whole substr(line, 1, RLENGTH), FILENAME
    }'
}
# Programs that are never linked together may use a name twice: the library of the command with its tests, and each other folder of tests with the core.
PASSED=0 FAILED=0
for programs in "src tools tests/tools" "src tools/sim tests/collect tests/heap tests/cycle tests/sim" "src tests/work" "src tests/simulation tools/sim"; do
  # shellcheck disable=SC2086 # words are folders
  twice=$(find $programs -name '*.h' -o -name '*.ipp' -o -name '*.cc' | sort -u | definitions | sort -u | awk '{ if ($1 == last) print $1 " in " file " and " $2; last = $1; file = $2 }')
  if [ -z "$twice" ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); echo "defined twice: $twice"; fi
done
# The check itself: it must see what two files with one name do, and not what they keep to themselves.
seen=$(mkdir -p "${TMPDIR:-/tmp}/one.$$" && cd "${TMPDIR:-/tmp}/one.$$" && printf 'namespace a::b {\nstruct Twice {\n};\nnamespace {\nstruct Own {\n};\n} // namespace\n} // namespace a::b\n' | tee one.cc >two.cc && printf '%s\n' one.cc two.cc | definitions | cut -d' ' -f1 | sort | uniq -d)
rm -rf "${TMPDIR:-/tmp}/one.$$"
if [ "$seen" = a::b::Twice ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); echo "failed: of two files with one type twice and one of their own it says '$seen'"; fi
echo "$PASSED passed, $FAILED failed"
[ $FAILED -eq 0 ]
