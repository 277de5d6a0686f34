// Bell: where workers that found nothing to steal sleep until there is something (late join only).
//
// An idle worker has offered termination, so the phase can end without it; sleeping here only costs parallelism, never progress.
// Two kinds of rings: one sleeper, by whoever publishes entries; one of each bell, by the worker whose offer ended the phase, and
// each of these rings for two more.
//
// No ring that matters is lost:
//  A. A published entry.   sleeper: 1. dozers+1 (seq_cst)  2. b = rings  3. look at the deques (seq_cst)  4. park(rings, b)
//                          owner:   a. store split (seq_cst)  b. load dozers (seq_cst); not 0: c. rings+1, wake
//     Either b comes after 1 in the single order of seq_cst operations, and the owner rings; or b comes before 1, then a comes before
//     3 and the sleeper sees the entry. If the owner rings and c precedes 2, then 2 read c's value, a happens before 3, and the entry
//     is seen; if c follows 2, park sees another value or is woken.
//  B. The end.             sleeper: 2. b = rings (acquire)  3'. termination word not over, and marked `dozed` (termination.h)
//                          final:   a'. the offer that makes the word over finds `dozed`  c'. rings+1, wake one, who wakes the rest (C)
//     3' read a word before a' in the word's order. Had 2 read c's value, a' would happen before 3'. So b is the old value.
//  C. The end, several bells (one for each node). The final worker rings those that have sleepers, and a relaxed look at dozers is enough: 1 precedes
//     3', and 3' and a' are read-modify-writes (acq_rel) of one word, so 1 happens before the look.
//     It wakes one sleeper of each, who wakes others when it finds the phase over, and so on while there are any: the final worker may be the conductor,
//     whom the program waits for. Rings has changed, so whoever is about to sleep does not; whoever sleeps is counted, and somebody who leaves sees it.
//  D. An entry published where no one of the node sleeps: somebody of another node is woken, if a relaxed look finds any. One that is missed sleeps on
//     while others work, until the next entry.
#pragma once
#include "seam/machine.h"

namespace garner {

template <class M> class Bell {
 public:
  using Self = typename M::Self;

  void start(M& machine) { machine_ = &machine; }
  // The bells of all nodes, this one among them; they outlive it.
  void stand_among(Bell* row, u32 count) { row_ = row, count_ = count; }

  // Story A, step b. Relaxed where a missed sleeper is found at the next occasion.
  bool anyone_seq_cst() const { return dozers_.load_seq_cst() != 0; }
  GARNER_INLINE bool anyone() const { return dozers_.load_relaxed() != 0; }

  void ring(Self& self, u32 sleepers) {
    rings_.fetch_add_acq_rel(1); // pairs with listen's load and with the compare in park
    machine_->wake(self, rings_, sleepers);
  }

  // Something has been published: one sleeper wakes up. far: any node's will do (story D).
  void tell(Self& self, bool far) {
    if (anyone_seq_cst()) return ring(self, 1);
    for (u32 i = 0; far && i < count_; i++)
      if (row_[i].anyone()) return row_[i].ring(self, 1);
  }

  // Steps 1 and 2: announce, and learn what to sleep on. Every listen() is followed by one leave().
  u32 listen() {
    dozers_.fetch_add_seq_cst(1);
    return rings_.load_acquire();
  }
  void sleep(Self& self, u32 heard) { machine_->park(self, rings_, heard); }
  void leave() { dozers_.fetch_sub_relaxed(1); } // too high for a moment costs one needless ring

 private:
  alignas(kLineBytes) typename M::template Atomic<u32> rings_; // futex word
  typename M::template Atomic<u32> dozers_;                    // workers between listen and leave
  M* machine_ = nullptr;
  Bell* row_ = nullptr;
  u32 count_ = 0;
};

} // namespace garner
