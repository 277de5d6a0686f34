#!/usr/bin/env bash
# Recordings of .NET programs: what `garner record` saves of a program whose graph is known is that graph, objects, bytes, references and roots by kind,
# as the difference to the same program without it; bounds; and what is left of a program that exits at once, crashes or is killed: a whole
# file or none, and a line about it. Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/tests/door/dotnet/endurance"
GARNER_COMMAND=$BUILD/bin/garner
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
cd "$DIR" || exit 1
check() { if [ "$2" = "$3" ]; then pass; else miss "$1: '$2', expected '$3'"; fi; }
said() { if grep -qE -- "$2" err; then pass; else miss "$1: '$2' was not said" err; fi; } # WHAT, PATTERN
record() { timeout 100 "$GARNER_COMMAND" record --lib "$LIB" "$@" >out 2>err; }
# value FILE KEY: of the one line that describes a recording: a number by its key, or "OBJECTS REFERENCES" of a shape "BYTES/SLOTS".
value() {
  local shape='' key=$2
  case $key in */*) shape="\"bytes\":${key%/*},\"slots\":${key#*/},\"objects\":([0-9]+),\"references\":([0-9]+)" ;; esac
  "$GARNER_COMMAND" simulate "$1" --describe --json | if [ -n "$shape" ]; then sed -nE "s#.*\{$shape\}.*#\1 \2#p"; else sed -nE "s/.*[{,]\"$key\":([0-9]+)[,}].*/\1/p"; fi
}
# root FILE CLASS: how many roots of a class; a class without roots is not in the line.
root() { "$GARNER_COMMAND" simulate "$1" --describe --json | sed -E 's/.*"roots":\{([^}]*)\}.*/,\1,/' | sed -nE "s/.*,\"$2\":([0-9]+),.*/\1/p" | grep . || echo 0; }
more() { echo $(($(root with.garner-heap "$1") - $(root without.garner-heap "$1"))); } # CLASS

N=5000 T=3 H=7
record -o without.garner-heap --at 1 -- dotnet "$ENDURANCE" graph nodes=0 threads=$T handles=0; check "exit code without" $? 0
record -o with.garner-heap --at 1 -- dotnet "$ENDURANCE" graph nodes=$N threads=$T handles=$H; check "exit code with" $? 0
# The chains: N objects and 2 N - 2 references a thread. By handles: one strong, one kept by the table, one as second object of a pair.
check "nodes and their references" "$(value with.garner-heap 128/3)" "$((N * T + 3 * H)) $(((2 * N - 2) * T))"
check "pinned arrays" "$(value with.garner-heap 352/0)" "$H 0"
check "collection" "$(value with.garner-heap collection)" 1
for class in strong pinned weak_short weak_long dependent finalizable; do check "$class roots" "$(more $class)" $H; done
check "dropped references" "$(value with.garner-heap dropped_references)" 0
if [ "$(value with.garner-heap objects_of_known_thread)" -ge $((N * T)) ]; then pass; else miss "threads of $(value with.garner-heap objects_of_known_thread) objects known, expected $((N * T)) at least"; fi
if [ "$(value with.garner-heap threads)" -ge $((T + 1)) ]; then pass; else miss "$(value with.garner-heap threads) threads, expected $((T + 1)) at least"; fi

# A bound is kept, and said.
record -o small.garner-heap --at 1 --max-bytes 20k -- dotnet "$ENDURANCE" graph nodes=$N threads=$T handles=$H; check "exit code, bounded" $? 0
said "bound" 'sub-graphs left out'
if [ "$(stat -c %s small.garner-heap)" -le 20480 ]; then pass; else miss "a file of $(stat -c %s small.garner-heap) bytes, bounded to 20480"; fi

# The largest heap is the one with most alive in it: not the first, which eden's garbage made larger than any after it.
record -o largest.garner-heap --option eden=64m,resize=fixed -- dotnet "$ENDURANCE" graph garbage=80 nodes=$((4 * N)) threads=$T; check "exit code, the largest" $? 0
check "nodes of the largest" "$(value largest.garner-heap 128/3)" "$((4 * N * T)) $(((8 * N - 2) * T))"
if [ "$(value largest.garner-heap collection)" -gt 1 ] && [ "$(grep -cE 'collection [0-9]+ recorded' err)" -gt 1 ]; then pass; else miss "the first heap is the largest: the test is too small" err; fi

# Both together, by number; the second never comes.
record -o two.garner-heap --at 1,999999 -- dotnet "$ENDURANCE" graph; check "exit code, two collections" $? 0
check "files of two collections" "$(ls two.*)" two.1.garner-heap
said "the second never comes" 'collections asked for 999999 never came, as the program had [0-9]+ collections?$'

# Collections are numbered as the log does, and what a marking beside the program ends with is one of them.
numbers() { sed -nE 's/.*collection ([0-9]+) recorded:.*/\1/p' err; }
for try in 1 2 3; do # its last pause is a collection of its own unless a young one comes first
  rm -f beside.*
  record -o beside.garner-heap --at "$(seq -s , 1 60)" --option marking=concurrent,eden=128m,resize=fixed -- dotnet "$ENDURANCE" hold live=60 churn=4000; check "exit code, marked beside" $? 0
  for file in beside.*; do "$GARNER_COMMAND" simulate "$file" --describe --json; done >described 2>&1
  grep -qE '"cause":"(marked|moves)"' described && break
done
if grep -qE '"cause":"(marked|moves)"' described; then pass; else miss "no recording of a marking's last pause" err; fi
check "numbers in the order of the log" "$(numbers | tr '\n' ' ')" "$(seq -s ' ' 1 "$(numbers | wc -l)") "
if [ "$(numbers | wc -l)" -ge 20 ]; then pass; else miss "$(numbers | wc -l) recordings, expected 20 at least" err; fi

# A part file of a process that lives, and one of another recording, are not ours.
sleep 100 & SLEEPER=$!
touch "parts.garner-heap.$SLEEPER.part" parts.2.garner-heap.999999.part
record -o parts.garner-heap --at 1 -- sh -c "touch parts.garner-heap.999999.part parts.3.garner-heap.999999.part; exec dotnet '$ENDURANCE' graph"; check "exit code beside parts" $? 0
kill $SLEEPER
check "parts that are left" "$(ls parts.*.part | tr '\n' ' ')" "parts.2.garner-heap.999999.part parts.3.garner-heap.999999.part parts.garner-heap.$SLEEPER.part "
said "parts that are removed" 'parts.garner-heap.999999.part is removed'

# Programs that end in other ways.
record -o none.garner-heap -- dotnet "$ENDURANCE" processors; check "exit code, no collection" $? 1
said "no collection" 'nothing was recorded: the program had no collection'
record -o exit.garner-heap --at 1 -- dotnet "$ENDURANCE" graph nodes=100 end=2; check "exit code of the program" $? 3
said "recorded before the exit" 'exit.garner-heap: [0-9]+ objects'
record -o crash.garner-heap --at 1 -- dotnet "$ENDURANCE" graph nodes=100 end=1; check "exit code of a crash" $? 134
said "recorded before the crash" 'crash.garner-heap: [0-9]+ objects'
said "the crash" 'killed by signal 6'
for try in 1 2 3 4 5 6; do # killed at any moment, in the middle of a recording too
  record -o killed.garner-heap --at "$(seq -s , 1 60)" -- sh -c "exec timeout -s KILL 0.$((2 + try)) dotnet '$ENDURANCE' graph nodes=200000 threads=2 end=3"
  ls killed.*.part >/dev/null 2>&1 && miss "a part file is left: $(ls)" || pass
  for file in killed.*.garner-heap; do
    [ -e "$file" ] || continue
    if "$GARNER_COMMAND" simulate "$file" --describe >/dev/null 2>err; then pass; else miss "$file is not whole" err; fi
  done
  rm -f killed.*
done

# What cannot be written costs the program nothing.
mkdir closed && record -o closed/x.garner-heap --at 1 -- sh -c "rmdir closed; exec dotnet '$ENDURANCE' graph end=2"; check "exit code, nowhere to write" $? 3
said "nowhere to write" 'is not recorded in .*closed/x.garner-heap: No such file or directory'
# Write-xor-execute wants a large file of its own.
(ulimit -f 8; export DOTNET_EnableWriteXorExecute=0; record -o limited.garner-heap --at 1 -- dotnet "$ENDURANCE" graph nodes=$N end=2); check "exit code under a limit on file sizes" $? 3
[ ! -e limited.garner-heap ] || "$GARNER_COMMAND" simulate limited.garner-heap --describe >/dev/null && pass || miss "under a limit on file sizes: a file that is not whole"
finish
