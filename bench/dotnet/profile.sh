#!/usr/bin/env bash
# Where the processor time of the workloads goes, beside stock's workstation non-concurrent collector: the tables of "Profile" in missed.md. Each program runs once under
# `perf record` with Garner and once with libclrgcexp.so, the same stock collector in a library of its own, so that samples in the collector can be told from the runtime's.
# Prints a row of a Markdown table for each: the collector's library in per cent of all samples, the system, and seconds of what is left, the runtime and the program;
# then both sums and means of the collector's samples. A program that one of them cannot finish has `-`.
#
# Arguments: [--at FACTOR|unlimited (of the minimum heap in NAME.bench; 2)] [--lib PATH] [NAME …] (all that have a minimum heap).
# Needs perf, and leave to sample (kernel.perf_event_paranoid). Takes some ten minutes for all.
set -u
cd "$(dirname "$0")/../.." || exit 1
AT=2 LIB=$PWD/build/lib/libgarner-dotnet.so NAMES=()
fail() { echo "profile.sh: $1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --at) AT=${2:-}; shift ;;
    --lib) LIB=${2:-}; shift ;;
    -*) fail "unknown option '$1'; it knows --at and --lib" ;;
    *) [ -f "bench/dotnet/$1.bench" ] || fail "no workload '$1'"; NAMES+=("$1") ;;
  esac
  shift || fail "an option lacks its value"
done
awk -v at="$AT" 'BEGIN { exit !(at == "unlimited" || at + 0 >= 1) }' || fail "--at wants a factor of at least 1, or unlimited"
command -v perf >/dev/null || fail "perf is not here (Debian: linux-perf)"
[ -f "$LIB" ] || fail "no library $LIB; ./run builds it"
DATA=$(mktemp -d) && trap 'rm -rf "$DATA"' EXIT
perf record -q -e cpu-clock -o "$DATA/try" true 2>/dev/null || fail "perf may not sample here (kernel.perf_event_paranoid)"
[ ${#NAMES[@]} -gt 0 ] || for file in bench/dotnet/*.bench; do grep -q '^least_mb' "$file" && NAMES+=("$(basename "$file" .bench)"); done

of_normal() { sed -n "/^\[normal\]/,/^\[large\]/s/^$2 *= *//p" "bench/dotnet/$1.bench"; }
SDK=$(dotnet --info | sed -n 's/^ *Base Path: *//p') ROOT=$PWD
filled() { # NAME KEY: a command of it, with what stands in braces filled in
  local command
  command=$(sed -n "s/^$2 *= *//p" "bench/dotnet/$1.bench")
  command=${command//\{bin\}/$ROOT/build/bench/dotnet} command=${command//\{sdk\}/${SDK%/}} command=${command//\{work\}/$DATA/work}
  echo "${command//\{parameters\}/$(of_normal "$1" parameters)}"
}
# Prints: per cent in the collector's library, per cent in the system, seconds of the rest, seconds in the collector. LIBRARY, NAME, environment …
measure() {
  local library=$1 name=$2 least
  shift 2
  least=$(of_normal "$name" least_mb)
  [ "$AT" = unlimited ] || set -- "$@" "DOTNET_GCHeapHardLimit=$(awk -v mb="$least" -v at="$AT" 'BEGIN { printf "%x", mb * at * 1048576 }')"
  # shellcheck disable=SC2046 # the command's words
  (cd "$DATA/work" && exec env "$@" timeout 180 perf record -q -F 999 -e cpu-clock -o "$DATA/perf" $(cd "$ROOT" && filled "$name" command)) >/dev/null 2>&1 || return 1
  perf script -i "$DATA/perf" -F ip,dso 2>/dev/null | awk -v library="$library" '
    { all++; if (index($0, library)) collector++; else if (index($0, "[kernel") || index($0, "[guest.kernel")) system_++ }
    END { if (!all) exit 1; printf "%.1f %.1f %.1f %.2f\n", collector * 100 / all, system_ * 100 / all, (all - collector - system_) / 999, collector / 999 }'
}
echo "| workload | collector | system | rest, s | stock: collector | system | rest, s |"
echo "|---|---:|---:|---:|---:|---:|---:|"
for name in "${NAMES[@]}"; do
  rm -rf "$DATA/work" && mkdir "$DATA/work"
  # shellcheck disable=SC2046
  [ -z "$(filled "$name" prepare)" ] || $(filled "$name" prepare) >/dev/null || fail "$name could not be prepared"
  ours=$(measure "$(basename "$LIB")" "$name" "DOTNET_GCPath=$(realpath "$LIB")") || ours="- - - -"
  stock=$(measure libclrgcexp.so "$name" DOTNET_GCName=libclrgcexp.so DOTNET_gcConcurrent=0) || stock="- - - -"
  echo "$name $ours $stock" >>"$DATA/all"
  echo "$name $ours $stock" | awk 'function share(x) { return x == "-" ? x : sprintf("%.0f %%", x) } { printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, share($2), share($3), $4, share($6), share($7), $8 }'
done
awk '$5 != "-" && $9 != "-" && $5 > 0 && $9 > 0 { n++; ours += $5; stock += $9; logs += log($5 / $9); if ($5 > $9) above = above sprintf(" %s (%.1f s and %.1f)", $1, $5, $9) }
  END { if (n) printf "%d programs with both: %.2f of the samples of the stock collector, %.2f in the geometric mean; more in:%s\n", n, ours / stock, exp(logs / n), above == "" ? " none" : above }' "$DATA/all"
