# The collector on the simulated machine with many workers, against what the machine allows (garner_sim_bench's column "of bound"): 48 on amd48, where links are the
# bound, and 192 on epyc-2s. 1 M objects; what 192 workers do with 5 M stands in docs/simulator.md.
. "$(dirname "$0")/shared.inc"
bench=$(dirname "$garner")/garner_sim_bench
at_least() { # at_least MACHINE WORKERS SHARE
  "$bench" --machine "$1" --workers "1,$2" --options woken_per=0 --why >"$scratch/out" 2>&1 || fail "$1: $(cat "$scratch/out")"
  # machine workers pause evacuate speedup GB/s remote node-or-link its-name its-ms "ms" of-bound …
  share=$(awk -v n="$2" '$2 == n && $1 == m { print $12 }' m="$1" "$scratch/out")
  awk -v s="$share" -v w="$3" 'BEGIN { exit !(s != "" && s >= w) }' || fail "$1 with $2 workers: ${share:-nothing} of what the machine allows, $3 wanted: $(cat "$scratch/out")"
  grep -q '^  at work, by twentieths' "$scratch/out" || fail "--why says nothing: $(cat "$scratch/out")"
}
at_least amd48 48 0.90
at_least epyc-2s 192 0.35 # was 0.25 when one scout went out from each node, and 0.08 when all waited at one lock for a region
