// Turns: how one thread that works beside the program and the collections that stop the program keep out of each other's way.
//
// One word. The thread works in slices, and between two of them a collection may hold it; a slice that sees wanted() ends soon.
//   thread:     begin()  waits until there is work and nobody holds; sets kBusy (acquire: what the last pause wrote)
//               finish() clears kBusy (release: what the slice wrote), and kWork when nothing is left
//   collection: call()   sets kHeld, before the program is stopped: the thread gives its processor up to whoever must get to a safepoint
//               hold()   sets it too, and waits, looking, until no slice runs (acquire: pairs with finish)
//               go()     clears kHeld, sets or clears kWork (release: pairs with begin), and wakes the thread
// Only the collection changes kHeld, kEnd and kWork, but for finish, which may clear kWork while it is busy; so in the time from hold() to go() the word is the
// collection's alone. The compare-and-swap of begin() fails when kHeld came between its look and it.
#pragma once
#include "seam/backoff.h"
#include "seam/machine.h"

namespace garner {

template <class M> class Turns {
 public:
  using Self = typename M::Self;

  void start(M& machine) {
    machine_ = &machine;
    word_.store_relaxed(0);
  }

  // -- the thread --
  // False: the thread ends.
  bool begin(Self& self) {
    for (u32 seen = word_.load_relaxed();;) { // relaxed: what counts is what the compare-and-swap finds
      if ((seen & kEnd) != 0) return false;
      if ((seen & (kHeld | kWork)) != kWork) {
        machine_->park(self, word_, seen);
        seen = word_.load_relaxed();
      } else if (word_.cas_acq_rel(seen, seen | kBusy)) {
        return true;
      }
    }
  }
  void finish(bool nothing_left) {
    u32 seen = word_.load_relaxed();
    while (!word_.cas_acq_rel(seen, seen & ~(kBusy | (nothing_left ? kWork : 0)))) {}
  }
  bool wanted() const { return (word_.load_relaxed() & kHeld) != 0; } // relaxed: only says that somebody waits

  // The thread has nothing to do. Any-thread, a hint.
  bool rests() const { return (word_.load_relaxed() & (kWork | kBusy)) == 0; }

  // -- a collection, one at a time --
  void call() { word_.fetch_or_relaxed(kHeld); } // one word: whoever comes later finds it there
  void hold() {
    call();
    for (Backoff wait; (word_.load_acquire() & kBusy) != 0;) wait.wait(*machine_);
  }
  void go(Self& self, bool work) {
    word_.store_release(work ? kWork : 0);
    if (work) machine_->wake(self, word_, 1);
  }
  void end(Self& self) {
    word_.store_relaxed(kEnd); // the thread touches nothing but the word then
    machine_->wake(self, word_, 1);
  }

 private:
  static constexpr u32 kHeld = 1, kBusy = 2, kWork = 4, kEnd = 8;
  typename M::template Atomic<u32> word_; // futex: the thread sleeps on it
  M* machine_ = nullptr;
};

} // namespace garner
