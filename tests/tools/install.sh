# What is installed works where it is put: by cmake --install under a prefix, and out of the .deb. The command finds its machines, recordings and the collector's
# library from where it lies itself, so each copy is tried by itself, in another directory than the build's.
. "$(dirname "$0")/shared.inc"
build=$(dirname "$(dirname "$garner")")
works() { # works ROOT NAME: garner under ROOT
  "$1/bin/garner" machine list >"$scratch/out" 2>&1 && grep -q '^epyc-2s' "$scratch/out" || fail "$2: machine list: $(cat "$scratch/out")"
  (cd / && "$1/bin/garner" simulate "$1/share/garner/recordings/warehouse.garner-heap" --machine amd48 --workers 1,4) >"$scratch/out" 2>&1 || fail "$2: simulate: $(cat "$scratch/out")"
  "$1/bin/garner" marks --list >"$scratch/out" 2>&1 && "$1/bin/garner" marks --ablation --list >"$scratch/out" 2>&1 || fail "$2: marks --list: $(cat "$scratch/out")"
  grep -q '^\.SH' "$1/share/man/man1/garner.1" && [ -f "$1/share/doc/garner/installing.md" ] || fail "$2: no man page, or no documents"
  [ ! -f /usr/share/doc/libjs-chart.js/copyright ] || cmp -s /usr/share/doc/libjs-chart.js/copyright "$1/share/doc/garner/copyright.chart.js" || fail "$2: the licence of Chart.js, which is part of the command, is not there"
  [ -f "$1/lib/libgarner-dotnet.so" ] || fail "$2: no library"
  needed=$(readelf -d "$1/lib/libgarner-dotnet.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | grep -v -e '^libc\.so' -e '^libm\.so' -e '^ld-linux' || true)
  [ -z "$needed" ] || fail "$2: the library needs $needed"
  if command -v dotnet >/dev/null; then
    "$1/bin/garner" run -- dotnet --version >"$scratch/out" 2>&1 || fail "$2: run: $(cat "$scratch/out")"
  else
    echo "skipped: $2: a program of .NET: no dotnet here"
  fi
}
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" 2>&1 || fail "cmake --install: $(tail -3 "$scratch/log")"
works "$scratch/prefix" 'cmake --install'
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
  deb=$("$tree/scripts/package.sh" "$build" --only deb) || fail "the .deb: $deb"
  dpkg-deb -x "$deb" "$scratch/deb" || fail "the .deb cannot be unpacked"
  works "$scratch/deb/usr" 'the .deb'
  dpkg-deb -f "$deb" Depends | grep -q 'libc6' || fail "the .deb depends on nothing: $(dpkg-deb -f "$deb")"
  deb=$("$tree/scripts/package.sh" "$build" --only deb --version 0.2.0-ci.7) || fail "another version: $deb"
  [ "$(dpkg-deb -f "$deb" Version)" = 0.2.0~ci.7 ] || fail "another version: $(dpkg-deb -f "$deb" Version)"
  rm -f "$deb"
  if "$tree/scripts/package.sh" "$build" --only deb --version 1,2 >"$scratch/log" 2>&1 || ! grep -q "no version '1,2'" "$scratch/log"; then fail "a version that is none: $(cat "$scratch/log")"; fi
fi
