# Sourced by the scripts beside it. Sets ROOT, BUILD, LIB, WORKLOADS, LIBRARIES, ENDURANCE; pass, miss and finish count.
. "$(dirname "${BASH_SOURCE[0]}")/../../../../scripts/setup.sh"
LIB=$BUILD/lib/libgarner-dotnet.so
while [ $# -gt 0 ]; do
  case $1 in
    --lib) LIB=${2:?--lib needs a path}; shift ;;
    *) fail "unknown option $1" ;;
  esac
  shift
done
[ -f "$LIB" ] || fail "no library at $LIB; ./run --build makes it"
LIB=$(cd "$(dirname "$LIB")" && pwd)/$(basename "$LIB")
WORKLOADS=$ROOT/build/bench/dotnet/workloads/Workloads.dll # wherever GARNER_BUILD is: projects are built there by their Directory.Build.props
LIBRARIES=$ROOT/build/bench/dotnet/libraries/Libraries.dll
ENDURANCE=$ROOT/build/tests/dotnet/endurance/bin/Endurance.dll
PASSED=0 FAILED=0
pass() { PASSED=$((PASSED + 1)); }
miss() { # what, log
  FAILED=$((FAILED + 1))
  printf 'failed: %s\n' "$1"
  [ -f "${2:-}" ] && tail -n 4 "$2" | cut -c1-300 | sed 's/^/    /'
}
finish() { printf '%d passed, %d failed\n' "$PASSED" "$FAILED"; [ "$FAILED" -eq 0 ]; exit; }
# have_packages PROJECT WHAT: restores a project, from the cache or from nuget.org. Returns 1 with one line that names WHAT when its packages cannot be had.
have_packages() {
  local log=$BUILD/restore-$(basename "$1").log code
  mkdir -p "$BUILD" "$ROOT/build"
  flock -o "$ROOT/build/dotnet-build.lock" timeout 300 dotnet restore "$1" >"$log" 2>&1
  code=$?
  [ $code -ne 0 ] || return 0
  if [ $code -ne 124 ] && ! grep -qE 'NU1301|NU1101|NU1102|NU1103' "$log"; then # 124: a network that answers nothing
    tail -n 20 "$log"
    fail "dotnet restore $1 failed"
  fi
  say "skipped: the packages of $2 cannot be had; see $log"
  return 1
}
# small_parameters NAME: those of a workload's size small, from its file.
small_parameters() { sed -n '/^\[small\]/,/^\[[^s]/p' "$ROOT/bench/dotnet/$1.bench" | sed -nE 's/^parameters *= *//p' | head -n 1; }
