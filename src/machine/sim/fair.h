// Which fibers the `every` picker must not choose now, so that loops which wait by spinning do not make schedules without end.
//
// A fiber that pauses or yields says "somebody else first". From then on it may run only when no fiber is ready that has been
// ready ever since its pause before and has not run since. This is the fair scheduler of Musuvathi and Qadeer, "Fair stateless
// model checking" (PLDI 2008): it cuts the schedules in which a spinner starves the fiber it waits for, and no others.
// Invariant: `behind` has no cycle, so of the ready fibers at least one is always allowed.
// Sets of fibers are bits of a word: at most 64 fibers.
#pragma once
#include "base/words.h"

namespace garner::sim {

class Fair {
 public:
  static constexpr u32 kFibersMax = 64;

  void clear() { count_ = 0; }
  void add() { each_[count_++] = {0, 0, ~u64(0), ~u64(0)}; }

  // Fiber `ran` did one operation, a yield or another; the ready sets before and after it.
  void ran(u32 fiber, bool yielded, u64 ready_before, u64 ready_after) {
    const u64 bit = u64(1) << fiber;
    for (u32 u = 0; u < count_; u++) {
      each_[u].behind &= ~bit;
      each_[u].ready_since &= ready_after;
      each_[u].ran_since |= bit;
    }
    One& one = each_[fiber];
    one.blocked_by_it |= ready_before & ~ready_after;
    if (!yielded) return;
    one.behind |= (one.ready_since | one.blocked_by_it) & ~one.ran_since;
    one.ready_since = ready_after;
    one.blocked_by_it = one.ran_since = 0;
  }

  u64 allowed(u64 ready) const {
    u64 result = 0;
    for (u64 rest = ready; rest != 0; rest &= rest - 1) {
      u32 f = u32(__builtin_ctzll(rest));
      if ((each_[f].behind & ready) == 0) result |= u64(1) << f;
    }
    return result;
  }

 private:
  struct One {
    u64 behind;        // these go first
    u64 ready_since;   // ready at every moment since its last yield
    u64 blocked_by_it; // stopped being ready through an operation of this fiber since then
    u64 ran_since;     // ran since then
  };
  One each_[kFibersMax];
  u32 count_ = 0;
};

} // namespace garner::sim
