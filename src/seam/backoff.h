// Backoff: how who has lost a race for a line stands back before trying again: a turn of a bounded spin, then twice as many, up to some 5 us.
//
// n threads that try again at once pass the line n times from one to the next for each that wins, so that the more there are, the less each pass achieves:
// 64 workers who bumped one space's pointer took twice as long as with it (docs/simulator.md, How far it scales). One Backoff is one thread's, for one thing wanted.
#pragma once
#include "base/words.h"

namespace garner {

class Backoff {
 public:
  template <class M> GARNER_INLINE void wait(M& machine) {
    machine.relax(turns_);
    turns_ = min_of(2 * turns_, kMostTurns);
  }

 private:
  static constexpr u32 kMostTurns = 256;
  u32 turns_ = 1;
};

} // namespace garner
