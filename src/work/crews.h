// Crews: termination by node (work.termination=by_node). Each node counts its own active workers in a word of its own; the termination word counts nodes.
//
//   a crew's word   epoch:24 | active:32        active: workers of the node that are in the phase and not idle
//   the phase's     termination.h, with nodes in the place of workers: joined = nodes, idle = nodes without an active worker
//
// WHY. With one word for all, n workers that join, offer and withdraw make it pass from processor to processor each time, and every
// compare-and-swap that fails makes it pass once more: n workers that are woken together need n*n/2 of them. And the idle, who look at the word
// until the phase is over, fetch it anew after each change. Here only a node's first and last touch the common word.
//
// Rules: - who raises a crew from 0 to 1 has counted the node in before (take back an idle of the common word: refused when the phase is over);
//        - who lowers it from 1 to 0 counts the node out afterwards. Between the two the node is counted once too often, never too seldom:
//          while anybody is active the common word is not over;
//        - who counted the node in and finds others active meanwhile counts it out again after it has become active itself: that
//          can never end the phase.
// Over is the common word's, and as sticky as there (N10): the same stories hold with nodes for workers.
// THE LATE ARRIVAL. 1. worker A of phase e sees its crew at 0 and is put aside; 2. e ends, e+1 opens the crew's word; 3. A counts in. Its withdraw at the
// common word names e and is refused. Had A seen its crew above 0, its compare-and-swap names e in the crew's word, and fails.
// HAPPENS-BEFORE. A worker's writes precede its leaving (acq_rel); all changes of a crew's word within a phase are read-modify-writes, relaxed ones too, so the
// one that makes it 0 has them, and that worker's offer at the common word (acq_rel) hands them on.
#pragma once
#include "seam/backoff.h"
#include "work/termination.h"

namespace garner {

template <class M> class Crews {
 public:
  // Conductor, between phases; the common word is opened after this. The crew `with_conductor` has one active worker.
  void open(u32 epoch, u32 nodes, u32 with_conductor) {
    for (u32 n = 0; n < nodes; n++) crews_[n].word.store_relaxed(u64(epoch) << kEpochShift | (n == with_conductor ? 1 : 0)); // made visible by the stamp (parking.h)
  }

  // Counts a worker of `node` in. False when the phase is over or past.
  bool arrive(M& machine, Termination<M>& all, u32 epoch, u32 node) {
    auto& count = crews_[node].word;
    u64 w = count.load_relaxed(); // relaxed, as the rest of arrive: the stamp has brought this phase's word, and what a worker takes next comes from a deque or the task queue
    Backoff lost;
    bool counted = false;        // the node, by this call
    while (true) {
      if (!counted && u32(w >> kEpochShift) != epoch) return false;
      if (!counted && active_of(w) == 0) {
        if (!all.withdraw(epoch)) return false;
        counted = true;
        w = count.load_relaxed();
      }
      if (!count.cas_relaxed(w, w + 1)) { // a change keeps what those who left have released in the word
        lost.wait(machine);              // the whole node comes at once when somebody shares
        w = count.load_relaxed();
        continue;
      }
      if (counted && active_of(w) != 0) all.offer();
      return true;
    }
  }

  // Counts it out. The common word when this was the node's last, 0 otherwise: what Termination::over is asked.
  u64 leave(Termination<M>& all, u32 node) { return active_of(crews_[node].word.fetch_sub_acq_rel(1)) == 1 ? all.offer() : 0; }

 private:
  static constexpr u32 kEpochShift = 32;
  static u32 active_of(u64 w) { return u32(w); }
  struct alignas(kLineBytes) Crew { typename M::template Atomic<u64> word; };
  Crew crews_[kNodesMost];
};

} // namespace garner
