// Program: which threads of the program may touch objects, and how they are stopped.
//
// One word: stop bit and the number of threads inside. A thread is inside while it may touch objects; it goes out before anything
// that can wait, and looks at the bit at its safepoints.
//   1. the conductor, itself outside, sets the bit    2. threads inside see it at a safepoint and go out    3. count 0: all stand
// Who comes in while the bit is set waits on the word. Bit and count change together, so nobody slips in between 1 and 3.
#pragma once
#include "seam/machine.h"

namespace garner::synthetic {

template <class M> class Program {
 public:
  using Self = typename M::Self;

  void start(M& machine) { machine_ = &machine; }
  void come_in(Self& self) {
    u32 seen = word_.load_acquire();
    while (true) {
      if ((seen & kStop) != 0) {
        machine_->park(self, word_, seen);
        seen = word_.load_acquire();
      } else if (word_.cas_acq_rel(seen, seen + 1)) { // acquire: pairs with go(); what the collection wrote is seen
        return;
      }
    }
  }
  void go_out(Self& self) {
    u32 before = word_.fetch_sub_acq_rel(1); // release: pairs with stop(); what this thread wrote is seen by the collection
    if (before == (kStop | 1)) machine_->wake(self, word_, ~u32(0));
  }
  void safepoint(Self& self) {
    if (GARNER_LIKELY((word_.load_relaxed() & kStop) == 0)) return;
    go_out(self);
    come_in(self);
  }
  // By a thread that is outside, one at a time.
  void stop(Self& self) {
    u32 seen = word_.fetch_or_acq_rel(kStop) | kStop;
    while (seen != kStop) {
      machine_->park(self, word_, seen);
      seen = word_.load_acquire(); // pairs with go_out
    }
  }
  void go(Self& self) {
    word_.store_release(0); // nobody is inside, and nobody but us changes the word while the bit is set
    machine_->wake(self, word_, ~u32(0));
  }
  bool stands() const { return word_.load_acquire() == kStop; }

 private:
  static constexpr u32 kStop = u32(1) << 31;
  typename M::template Atomic<u32> word_; // futex: come_in and stop sleep on it
  M* machine_ = nullptr;
};

} // namespace garner::synthetic
