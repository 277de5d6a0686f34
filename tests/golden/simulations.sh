#!/usr/bin/env bash
# The output of whole simulated collections against simulations.golden, byte for byte by its digest: "same seed, same output" holds from one host, build and
# compiler to the next, not only from one run to the next. Each line is simulated three times, by what is compiled as everything else is (garner_simulations), by
# the same sources without optimisation (garner_simulations_O0: machine, collector, and what reads recordings and machine files and writes JSON), and by those sources compiled
# with clang (in BUILD-clang, 48 files, 55 s of processor time the first time), which takes arguments of calls in the other order; without clang that is skipped. Of a recording
# `garner simulate --json` must print the same.
#
# A line of the golden file is `sha256 arguments`; what these are says the head of simulations.cc. Recordings are in tests/data. A line that differs has changed
# what the simulated machine or the collector does: the texts of all builds stay in BUILD/simulations.
# Arguments: BUILD [--update]. --update takes the digests of the optimised build; a new line has any word for its digest before it.
# Last line "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${1:?build directory} GOLDEN=tests/golden/simulations.golden
PASSED=0 FAILED=0
mkdir -p "$BUILD/simulations"
[ "${2:-}" = --update ] && UPDATED=$(mktemp)
wrong() { FAILED=$((FAILED + 1)); echo "$1"; }
CLANG=$(command -v clang++ || command -v clang++-14)
if [ -n "$CLANG" ]; then
  { cmake -S . -B "$BUILD-clang" -G Ninja -DCMAKE_CXX_COMPILER="$CLANG" -DGARNER_TESTS=ON -DGARNER_TOOLS=ON -DGARNER_SANITIZE= && ninja -C "$BUILD-clang" garner_simulations_alone; } >"$BUILD/simulations/clang.log" 2>&1 ||
    { wrong "failed: the build with $CLANG; see $BUILD/simulations/clang.log"; CLANG=; }
else
  echo "skipped: simulations compiled with clang, which is not here"
fi
digest() { sha256sum <"$1" | cut -d' ' -f1; }
number=0
while read -r expected arguments; do
  case $expected in '#'* | '') [ "${2:-}" = --update ] && echo "$expected${arguments:+ $arguments}" >>"$UPDATED"; continue ;; esac
  number=$((number + 1)) ran=1 text=$BUILD/simulations/$number.txt
  # shellcheck disable=SC2086 # words are arguments
  set -- "${1:-}" "${2:-}" $arguments
  case $3 in *.garner-heap) heap=tests/data/$3 ;; *) heap=$3 ;; esac
  "$BUILD/bin/garner_simulations" "$heap" "${@:4}" >"$text" &
  "$BUILD/bin/garner_simulations_O0" "$heap" "${@:4}" >"$text.O0" || { wrong "failed without optimisation: $arguments"; ran=0; }
  [ -z "$CLANG" ] || "$BUILD-clang/bin/garner_simulations_alone" "$heap" "${@:4}" >"$text.clang" || { wrong "failed with clang: $arguments"; ran=0; }
  wait $! || { wrong "failed: $arguments"; ran=0; }
  if [ $ran = 0 ]; then [ "${2:-}" = --update ] && echo "$expected $arguments" >>"$UPDATED"; continue; fi
  found=$(digest "$text")
  [ "${2:-}" = --update ] && expected=$found && echo "$found $arguments" >>"$UPDATED"
  good=1
  if [ "$found" != "$expected" ]; then good=0; wrong "$arguments failed: $text differs from what it was; if it is meant: $0 BUILD --update"; fi
  if ! cmp -s "$text" "$text.O0"; then good=0; wrong "$arguments failed: $text.O0, without optimisation, differs from $text"; fi
  if [ -n "$CLANG" ] && ! cmp -s "$text" "$text.clang"; then good=0; wrong "$arguments failed: $text.clang, compiled with clang, differs from $text"; fi
  if [ "$heap" != "$3" ] && ! "$BUILD/bin/garner" simulate "$heap" --machine "$4" --preset "$5" --workers "$6" --kind "$7" ${8:+--option "$8"} --json | cmp -s - "$text"; then
    good=0; wrong "$arguments failed: garner simulate --json prints something else than $text"
  fi
  PASSED=$((PASSED + good))
done <"$GOLDEN"
[ "${2:-}" = --update ] && cat "$UPDATED" >"$GOLDEN" && rm "$UPDATED"
echo "$PASSED passed, $FAILED failed"
[ $FAILED -eq 0 ] && [ $PASSED -gt 0 ]
