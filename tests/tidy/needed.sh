#!/usr/bin/env bash
# What is loaded into other people's processes: its dependencies and its exports. Argument: the build directory.
LIB=${1:?build directory}/lib/libgarner-dotnet.so
PASSED=0 FAILED=0
check() { if [ "$2" = "$3" ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); printf '%s failed: expected "%s", found "%s"\n' "$1" "$3" "$2"; fi; }
needed=$(readelf -dW "$LIB" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc\.so\.6|libm\.so\.6|ld-linux-x86-64\.so\.2)$' | tr '\n' ' ')
check "NEEDED" "$needed" ""
exports=$(nm -D --defined-only "$LIB" | awk '{print $3}' | sort | tr '\n' ' ')
check "exports" "$exports" "GC_Initialize GC_VersionInfo "
foreign=$(nm -D --undefined-only "$LIB" | awk '{print $2}' | sed 's/@.*//' | grep -E '^(_Zn|_Zd|__cxa_|_ZSt|__gxx|malloc|free|calloc|realloc|printf|fopen)' | grep -vE '^__cxa_(finalize|atexit)$' | tr '\n' ' ')
check "foreign symbols" "$foreign" ""
newest=$(nm -D --undefined-only "$LIB" | grep -o 'GLIBC_[0-9.]*' | cut -d_ -f2 | sort -V | tail -n 1)
check "glibc of docs/installing.md (here $newest)" "$(printf '%s\n' "$newest" 2.34 | sort -V | tail -n 1)" "2.34"
text=$(readelf -dW "$LIB" | grep -c TEXTREL)
check "text relocations" "$text" "0"
echo "$PASSED passed, $FAILED failed"
[ $FAILED -eq 0 ]
