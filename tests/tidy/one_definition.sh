#!/usr/bin/env bash
# One definition: no two files define a type of the same name in the same namespace. The compiler sees one file at a time and the linker keeps one of the functions that both
# made of it, so the other file's objects are then handled as what they are not. Looked at is what begins at the left margin in a named namespace; what a file keeps to itself is in
# one without a name. Functions are not looked at. A namespace ends with `} // namespace`, or the file that does not say so fails.
# Arguments: BUILD, which is not looked at. Last line "N passed, N failed".
set -u
export LC_ALL=C # neighbours by bytes
cd "$(dirname "$0")/../.." || exit 1
# Names of files on stdin: "namespace::Type file" for each definition; "open file" for one that ends within a namespace.
definitions() {
  xargs awk '
    function ended() { if (depth != 0) print "open " last_file }
    FNR == 1 { if (NR > 1) ended(); depth = 0; last_file = FILENAME }
    END { ended() }
    /^namespace .*\{$/ { name[++depth] = $2 == "{" ? "" : $2; next }
    /^\} \/\/ namespace/ { depth--; next }
    /^(template <.*> )?(struct|class|enum|union) [A-Za-z_0-9]+/ && /\{/ {
      line = $0
      sub(/^template <.*> (struct|class)/, "struct", line)
      sub(/^(struct|enum class|enum|class|union) (alignas\([^)]*\) )?/, "", line)
      match(line, /^[A-Za-z_0-9]+/)
      if (substr(line, RLENGTH + 1, 1) ~ /[<:]/ && substr(line, RLENGTH + 2, 1) != " ") next # a specialization, or a type within another
      whole = ""
      for (i = 1; i <= depth; i++) { if (name[i] == "") next; whole = whole name[i] "::" }
      print whole substr(line, 1, RLENGTH), FILENAME
    }' | sort -u
}
twice() { awk '$1 == "open" { print "open at its end: " $2; next } { if ($1 == last) print $1 " in " file " and " $2; last = $1; file = $2 }'; }
PASSED=0 FAILED=0
check() { if [ "$2" = "$3" ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); printf '%s failed: expected "%s", found "%s"\n' "$1" "$3" "$2"; fi; }
all=$(find src tools tests bench -name '*.h' -o -name '*.ipp' -o -name '*.cc' | definitions)
check "definitions of types in two files" "$(twice <<<"$all")" ""
check "some hundreds are seen" "$([ "$(wc -l <<<"$all")" -gt 400 ] && echo yes)" yes
# The check itself: it must see what two files with one name do, not what they keep to themselves, and a file that does not close its namespace.
mine=$(mktemp -d)
printf 'namespace a::b {\nstruct Twice {\n};\nenum Kinds { one };\nnamespace {\nstruct Own {\n};\n} // namespace\n} // namespace a::b\n' >"$mine/one.cc"
sed 's/Kinds/Others/' "$mine/one.cc" >"$mine/two.cc"
printf 'namespace a {\n}\n' >"$mine/three.cc"
seen=$(cd "$mine" && printf '%s\n' one.cc two.cc three.cc | definitions | twice | tr '\n' ';')
rm -rf "$mine"
check "two files with one type twice, and one left open" "$seen" "a::b::Twice in one.cc and two.cc;open at its end: three.cc;"
echo "$PASSED passed, $FAILED failed"
[ $FAILED -eq 0 ]
