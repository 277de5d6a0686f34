// Termination: who is counted in, who is idle, and when the phase is over: one 64-bit word, so that no answer mixes two moments (N10).
//
//   epoch:24 | joined:11 | idle:11 | dozed:1 | pending:17
//   over  ==  joined > 0  and  idle == joined  and  pending == 0
//
// Rules: - a worker is idle only with its own queue empty, no entry in hand and nothing of the phase left to write;
//        - over is sticky: join and withdraw are compare-and-swaps that demand "this epoch and not over" of the very word they replace;
//        - hence whoever sees over may leave at once, and nobody can re-open a finished phase.
//
// WHY THE EPOCH. 1. worker A, idle in phase e, is put aside before its withdraw; 2. e ends, e+1 opens; 3. A lowers e+1's idle count,
// which then never reaches joined: hang. With the epoch A's compare-and-swap fails.
// WHY NOT AT idle == joined. 1. A sees over and leaves; 2. B, which saw a deque non-empty a moment earlier, withdraws; 3. the conductor
// lets the program run while B works. With the rule B's compare-and-swap fails, rightly: everybody was idle, so every deque was empty.
// WHY A LATE WORKER MAY JOIN (join=late). Joining raises `joined` only while somebody is not idle; that one will offer after the
// join, sees joined too high, and waits for the newcomer. A worker that finds the phase over parks again; nobody waited for it.
// With the conductor waiting, a phase opens with joined = 0: it cannot be over before one worker has come and gone idle.
//
// HAPPENS-BEFORE. Every worker's writes to the heap precede its last offer (acq_rel). All changes of the word inside a phase are
// read-modify-writes with acq_rel, so each synchronises with the one before it, and an acquire load that sees over has everything
// all workers wrote, though nobody waited for them to park (N17).
//
// Messages and roots (N23, T13): what lies in a node's queue is owned by nobody, so idle == joined is not the end. `pending` counts the
// queues that are not empty (node_queue.h says who raises and lowers it, and why it never lies when everybody is idle); over() asks for
// it, and a worker withdraws for a queue it may take from as it does for a deque.
#pragma once
#include "base/check.h"
#include "seam/watch.h"
#include "work/config.h"

namespace garner {

template <class M> class Termination {
 public:
  static constexpr u32 kPendingBits = 17, kCountBits = 11;
  static constexpr u64 kPending = 1, kDozed = u64(1) << kPendingBits, kIdle = kDozed << 1, kJoined = kIdle << kCountBits;
  static constexpr u32 kEpochShift = kPendingBits + 1 + 2 * kCountBits;
  static_assert(kEpochShift + kEpochBits == 64 && kWorkersMax < (1u << kCountBits));

  static u32 epoch_of(u64 w) { return u32(w >> kEpochShift); }
  static u32 joined_of(u64 w) { return u32(w / kJoined) & ((1u << kCountBits) - 1); }
  static u32 idle_of(u64 w) { return u32(w / kIdle) & ((1u << kCountBits) - 1); }
  static u32 pending_of(u64 w) { return u32(w & (kDozed - 1)); }
  static bool dozed(u64 w) { return (w & kDozed) != 0; }
  static bool over(u64 w) { return joined_of(w) != 0 && joined_of(w) == idle_of(w) && pending_of(w) == 0; }
  static bool open_for(u64 w, u32 epoch) { return (epoch_of(w) == epoch || mutated<M>(Trap::untagged_word)) && !over(w); }

  // Conductor, between phases. A plain store cannot overwrite anybody's change: the word is over, and over is sticky.
  void open(u32 epoch, u32 joined, u32 idle = 0) { word_.store_release(u64(epoch) << kEpochShift | joined * kJoined | idle * kIdle); }

  u64 look() const { return word_.load_acquire(); } // acquire: see HAPPENS-BEFORE

  // Late join: false when the phase is over or past, or `most` have joined. `ordinal` counts from 0 in the order of joining.
  bool join(u32 epoch, u32 most, u32& ordinal) {
    u64 w = word_.load_acquire();
    while (open_for(w, epoch) && joined_of(w) < most)
      if (word_.cas_acq_rel(w, w + kJoined)) {
        ordinal = joined_of(w);
        return true;
      }
    return false;
  }

  // Counts the caller idle; returns the word it made. The caller is joined and not idle, so the epoch is its own.
  u64 offer() { return word_.fetch_add_acq_rel(kIdle) + kIdle; }

  // A node's queue has got entries, is empty again (node_queue.h). The caller is joined and not idle: the word is of its epoch and not over.
  void raise() { word_.fetch_add_acq_rel(kPending); }
  void lower() { word_.fetch_sub_acq_rel(kPending); }

  // Takes the offer back. False when the phase is over or past.
  bool withdraw(u32 epoch) {
    u64 w = word_.load_acquire();
    while (open_for(w, epoch))
      if (word_.cas_acq_rel(w, w - kIdle)) return true;
    return false;
  }

  // Marks the phase so that the last offer rings the bell (story B in bell.h). False when it is over or past: do not sleep.
  bool doze(u32 epoch) {
    u64 w = word_.load_acquire();
    while (open_for(w, epoch))
      if (dozed(w) || word_.cas_acq_rel(w, w | kDozed)) return true;
    return false;
  }

 private:
  alignas(kLineBytes) typename M::template Atomic<u64> word_;
};

} // namespace garner
