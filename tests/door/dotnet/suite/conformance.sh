#!/usr/bin/env bash
# Every conformance program on Garner, output equal to stock's: plain, with Server settings, 1, 2 and 4 workers, and under stress: with the verifier on; the same with nothing moved where little would be gained;
# with all that is old marked beside the program, and moved a little at a time; with what is otherwise rare, as options ask for it. Arguments: --lib PATH.
# Ends with "N passed, N failed".
# 120 s: api-oom-framework takes 25 to 40 s of a quiet machine under the first stress, and twice that of a busy one.
. "$(dirname "$0")/common.sh"
exec "$ROOT/tests/door/dotnet/conformance.sh" --lib "$LIB" --matrix quick --time-limit 120 --stress "stress_every=40,verify=both,workers=2" \
  --stress "stress_every=40,verify=both,workers=2,in_place=0" \
  --stress "marking=concurrent,moved_at_once=256k,stress_every=7,stress_kind=young" \
  --stress "en_masse=mostly,ahead=0,part=0,hold=off,huge_pages=on,compact_dense=101,no_room=full,full_promotes=all,stress_every=40"
