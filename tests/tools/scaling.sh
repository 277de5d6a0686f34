# The collector on the simulated machine with many workers, against what the machine allows (garner_sim_bench's column "of bound"): 48 on amd48, where links and
# one node's memory are the bound, and 192 on epyc-2s; the graph on one node, and spread over all. 1 M objects; what 192 workers do with 5 M stands in docs/simulator.md.
# A deque holds all entries of one worker: what lies in its overflow stack is free of charge on the model, and the bound is n times as fast as one.
. "$(dirname "$0")/shared.inc"
bench=$(dirname "$garner")/garner_sim_bench
at_least() { # at_least MACHINE WORKERS SPACE SHARE
  "$bench" --machine "$1" --workers "1,$2" --options "woken_per=0,queue_capacity=4194304,space_eden=$3" --why >"$scratch/out" 2>&1 || fail "$1: $(cat "$scratch/out")"
  # machine workers pause evacuate speedup GB/s remote node-or-link its-name its-ms "ms" of-bound …
  share=$(awk -v n="$2" '$2 == n && $1 == m { print $12 }' m="$1" "$scratch/out")
  awk -v s="$share" -v w="$4" 'BEGIN { exit !(s != "" && s >= w) }' || fail "$1 with $2 workers, eden $3: ${share:-nothing} of what the machine allows, $4 wanted: $(cat "$scratch/out")"
  grep -q '^  at work, by twentieths' "$scratch/out" || fail "--why says nothing: $(cat "$scratch/out")"
}
at_least amd48 48 fragmented 0.90
at_least amd48 48 interleaved 0.90
at_least epyc-2s 192 interleaved 0.60
at_least epyc-2s 192 fragmented 0.55 # a pause of 1.5 ms; 0.93 with 5 M
