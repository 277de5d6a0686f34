#!/usr/bin/env bash
# Every way to switch Garner on, and what happens with a runtime of another version. Arguments: --lib PATH.
. "$(dirname "$0")/common.sh"
exec "$ROOT/tests/door/dotnet/loading/loading.sh" --lib "$LIB"
