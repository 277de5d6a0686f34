// FinalizeQueue: entries added, taken, and sorted where they are (finalizers.h).
#include "heap/finalizers.h"

#include "base/check.h"

namespace garner {

bool FinalizeQueue::add(u32 generation, Ref ref) {
  Locked<SpinLock> guard(lock_);
  if (GARNER_UNLIKELY(ordinary_from_ - ends_[0] <= spare(used() + 1))) return false;
  usize place = ends_[0];
  for (u32 younger = 0; younger < generation; younger++) { // each makes room at its begin: its first entry becomes its last
    const usize first = ends_[younger + 1];
    if (first != ends_[younger]++) all_[place] = all_[first];
    place = first;
  }
  all_[place] = ref;
  ends_[generation]++;
  return true;
}

// To use places again that were taken, and to have more, moves all that is ready, so that must be worth it, but where it is the last way.
usize FinalizeQueue::grown(Growth growth) const {
  const usize places = all_.size(), needed = used() + 1 + spare(used() + 1), ready = used() - ends_[0];
  const usize worth = growth == Growth::ample ? used() / 16 : growth == Growth::page ? max_of(kFirst, ready / 64) : 0;
  if (needed + worth <= places) return places;
  const usize wanted = growth == Growth::ample ? all_.ample(places) : growth == Growth::page ? places + worth : kFirst;
  return align_up(max_of(needed, wanted), kFirst);
}

usize FinalizeQueue::growth(Growth growth) {
  Locked<SpinLock> guard(lock_);
  return bytes_more(growth);
}

bool FinalizeQueue::grow(Growth growth, usize most) {
  Locked<SpinLock> guard(lock_);
  if (bytes_more(growth) > most) return true;
  if (!all_.resize_exactly(grown(growth))) return false;
  to_the_right(all_.size());
  return true;
}

// Ordinary ones pass over what was taken of them and may be farther right than they end now, so the critical ones move first; to the left it is the other way round.
void FinalizeQueue::to_the_right(usize places) {
  auto move = [&](usize& from, usize& to, usize end) {
    const usize count = to - from;
    if (count != 0 && to != end) memmove(static_cast<void*>(all_.begin() + end - count), all_.begin() + from, count * sizeof(Ref));
    from = end - count;
    to = end;
  };
  const usize ordinary_end = places - (critical_to_ - critical_from_);
  if (ordinary_end <= critical_from_) {
    move(ordinary_from_, ordinary_to_, ordinary_end);
    move(critical_from_, critical_to_, places);
  } else {
    move(critical_from_, critical_to_, places);
    move(ordinary_from_, ordinary_to_, ordinary_end);
  }
}

Ref FinalizeQueue::next_ready() {
  Locked<SpinLock> guard(lock_);
  ended_ += in_hand_;
  in_hand_ = 0;
  const bool critical = ordinary_from_ == ordinary_to_;
  usize& to = critical ? critical_to_ : ordinary_to_;
  if (to == (critical ? critical_from_ : ordinary_from_)) return {0};
  in_hand_ = 1;
  return all_[--to];
}

usize FinalizeQueue::ready_count() {
  Locked<SpinLock> guard(lock_);
  return ready(false).size() + ready(true).size();
}

FinalizeQueue::Progress FinalizeQueue::progress() {
  Locked<SpinLock> guard(lock_);
  return {ready(false).size() + ready(true).size() + in_hand_, ended_};
}

void FinalizeQueue::compact() {
  const usize needed = used() + 1 + spare(used() + 1);
  to_the_right(all_.size());
  if (all_.size() <= kKept || needed >= all_.size() / 4) return;
  const usize places = max_of(needed, kKept);
  to_the_right(places);
  all_.truncate(places);
  all_.fit(places);
}

// What becomes ready moves to free places at once. Where they are used up those that have not been looked at move up, to where ready ones have left: as often as a sixteenth of all became ready.
FinalizeQueue::Part FinalizeQueue::gather(u32 condemned) {
  usize counts[kGenerations];
  for (u32 g = 0; g <= condemned; g++) counts[g] = registered_count(g);
  const usize ready_before = ordinary_from_;
  usize end = ends_[0], at = end - registered_up_to(condemned).size(), kept = at;
  for (u32 g = condemned + 1; g-- > 0; ends_[g] = kept)
    for (usize left = counts[g]; left != 0; left--, at++) {
      const Ref ref = all_[at];
      if (ref.at == 0) continue;
      if ((ref.at & kDead) == 0) {
        all_[kept++] = ref;
        continue;
      }
      if (GARNER_UNLIKELY(ordinary_from_ == end)) {
        memmove(static_cast<void*>(all_.begin() + kept), all_.begin() + at, (end - at) * sizeof(Ref));
        end -= at - kept;
        at = kept;
      }
      all_[--ordinary_from_] = {ref.at & ~kDead};
    }
  return between(ordinary_from_, ready_before);
}

// From the oldest on, as many at a time as there are free places to put them aside; all ordinary ones behind them take their places then.
void FinalizeQueue::part(Part fresh) {
  const usize from = ordinary_from_, room = ordinary_from_ - ends_[0];
  GARNER_CHECK(room != 0, "no place is free in the finalization queue");
  Ref* aside = all_.begin() + ends_[0];
  usize at = usize(fresh.to - all_.begin());
  for (usize taken = room; taken == room;) {
    taken = 0;
    usize place = at;
    while (at > from && taken < room) {
      const Ref ref = all_[--at];
      if ((ref.at & kCritical) != 0) aside[taken++] = {ref.at & ~kCritical};
      else all_[--place] = ref;
    }
    memmove(static_cast<void*>(all_.begin() + at), all_.begin() + place, (critical_from_ - place) * sizeof(Ref));
    ordinary_to_ -= taken;
    for (usize i = 0; i < taken; i++) all_[--critical_from_] = aside[i];
  }
}

void FinalizeQueue::file(u32 condemned) {
  const Part all = registered_up_to(condemned);
  usize count[kGenerations] = {};
  bool sorted = true;
  word last = 0;
  for (Ref ref : all) {
    const word tag = ref.at & kTag;
    sorted = sorted && tag >= last;
    last = tag;
    count[tag]++;
  }
  usize next[kGenerations] = {0, count[0], count[0] + count[1]};
  const usize stop[kGenerations] = {count[0], count[0] + count[1], all.size()};
  for (word tag = 0; tag < kGenerations && !sorted; tag++)
    while (next[tag] != stop[tag]) {
      const word its = all[next[tag]].at & kTag;
      if (its == tag) next[tag]++;
      else swap_values(all[next[tag]], all[next[its]++]);
    }
  for (usize i = count[0]; i < all.size(); i++) all[i].at &= ~kTag;
  if (condemned == 0) { // generation 1 stands before what is of generation 2 now
    const usize passes = min_of(registered_count(1), count[0]);
    for (usize i = 0; i < passes; i++) swap_values(all_[ends_[2] + i], all_[ends_[1] + count[0] - passes + i]);
    ends_[1] += count[0] + count[1];
    ends_[2] += count[0];
    return;
  }
  const usize from = ends_[0] - all.size();
  ends_[2] = from + count[0];
  ends_[1] = ends_[2] + count[1];
}

} // namespace garner
