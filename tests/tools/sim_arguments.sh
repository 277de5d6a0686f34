# garner_sim_bench and garner_sim_workloads: what is wrong with an argument is one line and exit code 2, before anything is printed or simulated; --help is an answer.
. "$(dirname "$0")/shared.inc"
programs=$(dirname "$garner")
refused() { # refused TEXT PROGRAM ARGUMENTS...
  text=$1 program=$2
  shift 2
  code=0
  timeout 20 "$programs/$program" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  [ $code = 2 ] && [ "$(wc -l < "$scratch/err")" = 1 ] && [ ! -s "$scratch/out" ] || fail "$program $*: exit code $code: $(cat "$scratch/err" "$scratch/out")"
  grep -q "^$program: " "$scratch/err" && grep -qF -- "$text" "$scratch/err" || fail "$program $*: '$text' is not in: $(cat "$scratch/err")"
}
for objects in -5 0 999 50000001 99999999999999999999999 1e6 many ''; do refused '--objects' garner_sim_bench --objects "$objects"; done
for workers in 0 49 5000 1,49 4294967297; do
  refused '--workers' garner_sim_bench --workers "$workers"
  refused '--workers' garner_sim_workloads jbb --workers "$workers"
done
refused '--workers 49: amd48 has 1 to 48 hardware threads for them' garner_sim_workloads jbb --workers 49
refused '--workers 17: uniform-16 has 1 to 16' garner_sim_bench --machine uniform-16 --workers 17
for workers in -1 x 1,x; do refused '--workers' garner_sim_bench --workers "$workers"; done
for one in garner_sim_bench "garner_sim_workloads jbb"; do
  # shellcheck disable=SC2086 # words are arguments
  {
    refused "unknown option 'colour'" $one --options colour=blue
    refused "no machine 'amd49'" $one --machine amd49
    refused '--colour' $one --colour
  }
done
refused 'WORKLOAD is required' garner_sim_workloads
refused "no workload is called 'jbc'; there are jbb " garner_sim_workloads jbc
for percent in 0 -1 10001; do refused '--percent' garner_sim_workloads jbb --percent "$percent"; done
refused "cannot write '$scratch/none/log'" garner_sim_workloads jbb --log "$scratch/none/log"
for program in garner_sim_bench garner_sim_workloads; do
  "$programs/$program" --help >"$scratch/out" 2>"$scratch/err" && grep -q "^Usage: $program" "$scratch/out" && [ ! -s "$scratch/err" ] || fail "$program --help: $(cat "$scratch/err")"
done
# Numbers that nobody gave are those that the machine has.
"$programs/garner_sim_bench" --machine uniform-8 --objects 1000 >"$scratch/out" || fail "eight cores, no number of workers"
[ "$(awk '$1 == "uniform-8" { printf "%s ", $2 }' "$scratch/out")" = '1 8 ' ] || fail "numbers of workers on uniform-8: $(cat "$scratch/out")"
# Output that could not be written, and options that would be dropped without a word.
for args in "garner_sim_bench --machine uniform-2 --objects 1000 --workers 1" "garner_sim_workloads avrora --percent 1 --workers 1 --options preset=naps" "garner_sim_bench --help"; do
  # shellcheck disable=SC2086
  code=0; "$programs"/$args >/dev/full 2>"$scratch/err" || code=$?
  [ $code = 1 ] && grep -q 'the output could not be written' "$scratch/err" || fail "$args into a full device: $(cat "$scratch/err")"
done
for option in workers=2 log=x.log heap.limit=64m record.file=x.garner-heap; do
  for args in "garner_sim_bench --objects 1000 --workers 1" "garner_sim_workloads avrora --percent 1 --workers 1"; do
    # shellcheck disable=SC2086
    code=0; "$programs"/$args --options "$option" >"$scratch/out" 2>"$scratch/err" || code=$?
    [ $code = 2 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && [ ! -s "$scratch/out" ] || fail "$args --options $option: $(cat "$scratch/out" "$scratch/err")"
  done
done
exit 0
