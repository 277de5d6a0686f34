#!/bin/sh
# Are the virtual tables of src/host/dotnet/clr.h the ones of .NET 10's GC interface? clr_vtables.golden lists `class slot name`,
# one line per slot; a slot that moved, came or went would make the runtime call a wrong method.
#
# Needs GCC (GXX, default g++), whose -fdump-lang-class prints each table. In a copy of the header the methods are made not pure, so
# that the dump names them. Usage: clr_vtables.sh [--update]; last line "1 passed, 0 failed" or the difference and exit 1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../src" && pwd)
golden=$here/clr_vtables.golden
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

sed 's/) = 0;/);/' "$source/host/dotnet/clr.h" > "$temp/clr.cc"
sed -i 's/^#pragma once$//' "$temp/clr.cc"
(cd "$temp" && "${GXX:-g++}" -std=c++20 -fno-exceptions -fno-rtti -I "$source" -fdump-lang-class -c clr.cc -o clr.o)
cat "$temp"/clr.cc.*.class > "$temp/dump"

# A table is a block of lines "offset entry": the first two entries are the offset to top and the type, the rest the methods.
awk '
  /^Vtable for garner::clr::/ { class = $3; sub(/^garner::clr::/, "", class); slot = -2; next }
  /^$/ || /^Class / { class = "" }
  class != "" && /^[0-9]+ +\(/ {
    if (slot >= 0) { name = $NF; sub(/^.*::/, "", name); print class, slot, name }
    slot++
  }' "$temp/dump" > "$temp/found"

if [ "${1:-}" = --update ]; then cp "$temp/found" "$golden"; fi
if ! diff -u "$golden" "$temp/found"; then
  echo "0 passed, 1 failed"
  exit 1
fi
echo "1 passed, 0 failed"
