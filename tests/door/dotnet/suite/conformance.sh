#!/usr/bin/env bash
# Every conformance program on Garner, output equal to stock's: plain, with Server settings, 1, 2 and 4 workers, and under stress
# with the verifier on. Arguments: --lib PATH. Ends with "N passed, N failed".
# 120 s: api-oom-framework takes 25 to 40 s of a quiet machine under that stress, and twice that of a busy one.
. "$(dirname "$0")/common.sh"
exec "$ROOT/tests/door/dotnet/conformance.sh" --lib "$LIB" --matrix quick --time-limit 120 --stress "stress_every=40,verify=both,workers=2"
