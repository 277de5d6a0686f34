// Portions: a sum that many threads add to, given out in portions of a least size; each unit is in exactly one of them, and the rest waits for more.
#pragma once
#include "base/atomic.h"

namespace garner {

template <u64 kLeast> class Portions {
 public:
  // 0, or all that has been added since the last portion, at least kLeast. Any-thread.
  GARNER_INLINE u64 add(u64 units) {
    if (GARNER_LIKELY(waiting_.fetch_add_relaxed(units) + units < kLeast)) return 0;
    return take();
  }
  u64 waiting() const { return waiting_.load_relaxed(); } // Any-thread, a hint

 private:
  GARNER_COLD u64 take() {
    const u64 all = waiting_.exchange_acq_rel(0); // of several who saw it full one takes it, the others what has come since
    if (all >= kLeast) return all;
    waiting_.fetch_add_relaxed(all);
    return 0;
  }

  Atomic<u64> waiting_{0}; // relaxed and acq_rel, pairs with nothing: a number
};

} // namespace garner
