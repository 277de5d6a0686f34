#!/usr/bin/env bash
# The figures of the guide "Which policy for my machine" (docs/recordings.md), in its order: milliseconds of a pause of the warehouse heap / of the roslyn heap, simulated.
#   scripts/policy_figures.sh [build/bin/garner]
cd "$(dirname "$0")/.." || exit 1
garner=${1:-build/bin/garner}
touch=heap.space_eden=firsttouch,heap.space_survivor=firsttouch,heap.space_old=firsttouch
round=heap.space_eden=interleaved,heap.space_survivor=interleaved,heap.space_old=interleaved
pause() { # HEAP MACHINE PRESET WORKERS KIND [OPTIONS]
  "$garner" simulate "$1" --machine "$2" --preset "$3" --workers "$4" --kind "$5" ${6:+--option "$6"} --json | awk -F: '/"pause_ns"/ { print $2 / 1e6; exit }'
}
row() { # TEXT MACHINE PRESET WORKERS KIND [OPTIONS]
  local text=$1; shift
  printf '%-52s %8.3f / %.3f\n' "$text" "$(pause tests/data/warehouse.garner-heap "$@")" "$(pause tests/data/roslyn.garner-heap "$@")"
}
for preset in garner naps ps; do row "uniform-8, 8, $preset" uniform-8 "$preset" 8 recorded; done
for workers in 56 112; do row "xeon-2s, $workers" xeon-2s garner $workers recorded; done
row 'xeon-2s, 56, naps' xeon-2s naps 56 recorded
for workers in 14 56; do row "xeon-2s, $workers, ps" xeon-2s ps $workers recorded; done
row 'xeon-2s, 56, first touch' xeon-2s garner 56 recorded $touch
row 'xeon-2s, 56, interleaved' xeon-2s garner 56 recorded $round
row 'amd48, 48' amd48 garner 48 recorded
row 'amd48, 48, first touch' amd48 garner 48 recorded $touch
row 'amd48, 48, interleaved' amd48 garner 48 recorded $round
for workers in 32 64 96 192; do row "epyc-2s, $workers" epyc-2s garner $workers recorded; done
for preset in naps ps; do row "epyc-2s, 192, $preset" epyc-2s $preset 192 recorded; done
row 'epyc-2s, 64, first touch, not pinned' epyc-2s garner 64 recorded $touch,work.pin=none
row 'cxl-box, 64' cxl-box garner 64 recorded
row 'cxl-box, 64, first touch' cxl-box garner 64 recorded $touch
for workers in 32 56; do row "xeon-2s, $workers, full" xeon-2s garner $workers full; done
for preset in naps ps; do row "xeon-2s, 56, full, $preset" xeon-2s $preset 56 full; done
