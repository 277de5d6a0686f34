#!/usr/bin/env bash
# Runtimes of another interface version are refused with one line that says what was found and what is supported. versions.c plays such
# runtimes; other_version.c stands between the installed runtime and the library, so that the line is seen where a user would see it.
# Arguments: --lib PATH. Last line "N passed, N failed".
. "$(dirname "$0")/../suite/common.sh"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
cc -std=gnu11 -Wall -Wextra -O1 -o "$DIR/versions" "$HERE/versions.c" -ldl || fail "versions.c does not compile"
"$DIR/versions" "$LIB" >"$DIR/versions.out"
sed '$d' "$DIR/versions.out"
read -r PASSED _ FAILED _ < <(tail -n 1 "$DIR/versions.out")

build_dotnet "$ROOT/bench/dotnet/workloads"
row() { # MAJOR, what stderr must have; the empty text: the program runs
  local code
  cc -shared -fPIC -DLIBRARY="\"$LIB\"" -DMAJOR="$1" -o "$DIR/other$1.so" "$HERE/other_version.c" -ldl || fail "other_version.c does not compile"
  DOTNET_GCPath=$DIR/other$1.so timeout 60 dotnet "$WORKLOADS" binary-trees depth=8 >"$DIR/out" 2>"$DIR/err" </dev/null
  code=$?
  if [ -z "$2" ]; then
    if [ $code -eq 0 ]; then pass; else miss "the installed runtime through other_version.c: exit code $code" "$DIR/err"; fi
  elif [ $code -ne 0 ] && [ $code -ne 124 ] && [ "$(grep -c 'garner: ' "$DIR/err")" = 1 ] && grep -q "$2" "$DIR/err"; then pass
  else miss "a runtime of interface $1: exit code $code, expected the line '$2'" "$DIR/err"; fi
}
row 4 ""
row 3 "^GC: garner: this runtime has GC interface 3\.0; supported is 4 "
row 5 "^GC: garner: this runtime has GC interface 5\.0; supported is 4 "
finish
