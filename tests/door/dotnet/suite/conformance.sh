#!/usr/bin/env bash
# Every conformance program on Garner, output equal to stock's: plain, with Server settings, 1, 2 and 4 workers, and under stress: with the verifier on; the same with nothing moved where little would be gained;
# with all that is old marked beside the program, and moved a little at a time; with what is otherwise rare, as options ask for it (tests/tools/covered.sh asks that no option is left out). Arguments: --lib PATH.
# Ends with "N passed, N failed".
# The rows under stress have Server's settings by turns, in the soak each of them both (the collector answers as Server then; it is the same one).
# 600 s: api-oom-framework takes 25 to 40 s of a quiet machine under the first stress, 100 s where all that is drawn comes together, and four times that of a slow and busy one.
. "$(dirname "$0")/common.sh"
both=; [ "${GARNER_SOAK:-0}" = 1 ] && both=--both
# In the soak, first: rows whose options are drawn by number. Without the programs of settings, which such options override, and the one that asks from what size on objects are large:
# of regions of 64 KB they are from 32 KB on.
if [ "${GARNER_SOAK:-0}" = 1 ]; then
  [ -x "$BUILD/bin/garner_seeds" ] || fail "no $BUILD/bin/garner_seeds, which draws options; ./run --build makes it"
  drawn=()
  for number in 101 102 103 104 105 106; do drawn+=(--stress "$("$BUILD/bin/garner_seeds" --options $number),stress_every=40"); done
  "$ROOT/tests/door/dotnet/conformance.sh" --lib "$LIB" --but '^setting-|^api-generation-large-frozen$' --matrix quick --time-limit 600 "${drawn[@]}" || fail "conformance with drawn options"
fi
exec "$ROOT/tests/door/dotnet/conformance.sh" --lib "$LIB" --matrix quick $both --time-limit 600 --stress "stress_every=40,verify=both,workers=2" \
  --stress "stress_every=40,verify=both,workers=2,in_place=0" \
  --stress "marking=concurrent,moved_at_once=256k,stress_every=7,stress_kind=young" \
  --stress "en_masse=mostly,lean=off,ahead=0,by_place=off,part=0,hold=off,huge_pages=on,compact_dense=101,compact_into=fresh,no_room=full,full_promotes=all,marking=concurrent,moved_at_once=0,poison=on,stress_every=40" \
  --stress "preset=hybrid,marking=stopped,ahead_by=batches,order=fifo,queue_capacity=8,root_capacity=8,root_batch=1,root_take=any,flush_threshold=1,last_resort=1,retain=on,huge_pages=auto,resize=fixed,eden_min=1m,live=off,log=/dev/null,log_detail=plain,workers=3,woken_per=0,verify=before,stress_every=40" \
  --stress "preset=ps_fragopt,task_queue=msqueue,card_phase=apart,conductor=works,marking=concurrent,sweep_beside=off,moved_at_once=1m,ahead_by=queue,steal=off,plab_young=1k,space_old=fragmented_hotspot,old_growth=5,gc_share=90,reserve=64g,trim=on,log=/dev/null,log_format=json,log_detail=roots,verify=both,woken_per=0,stress_every=40"
