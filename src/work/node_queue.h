// NodeQueue: work that belongs to a node and to nobody in particular: root references (T3, T4) and scan requests (N23).
//
// One queue per node and kind. Any worker puts in; only workers that may work for the node take out.
//
//        top                              bottom            Indices only grow; entry i lies in slots[i & mask].
//         |  consumers take here by CAS    |  producers put in here, holding the lock      beside it: the spill, under the lock
//     ----[ a  b  c  d  e  f  g  h  i  j   )                ( k l m … )
//
// There is no owner's end: every consumer, of the node or not, takes at top with a compare-and-swap (T4's trap: the owner's pop of a deque
// assumes that it is alone). Hence a consumer may take several at once. What finds no room goes to the spill, and is never lost.
//
// WHO TELLS TERMINATION (N23, T13). Entries here are owned by no active worker, so "all are idle" does not mean "nothing is left":
//   1. all workers of node B are idle and counted;   2. a worker of node A puts an entry for B in and goes idle;
//   3. idle == joined: all leave, and what the entry leads to is lost.
// The termination word counts queues that are not empty (`pending`), and `count_` says for each queue when that changes: whoever makes
// count_ leave zero raises pending before any entry of its own is visible; whoever brings it back to zero lowers it, un-idled, with the
// entries in hand. A second producer may publish before the first has raised: the first is not idle, so the phase is not over, and it
// raises before it can be. A consumer can bring count_ to zero only with entries whose producers have all raised. So pending, seen when
// everybody is idle, is the number of queues with entries in them; it never passes queues + workers.
//
// Empty between phases: a phase is over only with pending == 0. A late worker may still look (loads of atomics only).
#pragma once
#include "base/atomic.h"
#include "base/check.h"
#include "seam/backoff.h"
#include "seam/watch.h"
#include "work/config.h"
#include "work/tables.h"
#include "work/termination.h"

namespace garner {

template <class M> class NodeQueue {
 public:
  using Index = typename M::template Atomic<u64>;
  using Entry = typename M::template Atomic<u64>;

  // False when there is no memory. `capacity` is a power of two.
  bool start(M& machine, u32 capacity) {
    GARNER_CHECK(is_power_of_two(capacity), "capacity of a node's queue");
    writes<M>(slots_) = static_cast<Entry*>(map_table(machine, usize(capacity) * sizeof(Entry)));
    mask_ = capacity - 1;
    machine_ = &machine;
    return slots_ != nullptr;
  }
  void stop() {
    if (writes<M>(slots_) != nullptr) unmap_table(*machine_, slots_, (usize(mask_) + 1) * sizeof(Entry));
    slots_ = nullptr;
    spill_.release();
  }
  bool started() const { return slots_ != nullptr; }
  // The trap that leaves this queue out of the count.
  void uncounted_by(Trap trap) { uncounted_.is(trap); }

  // Any worker that is joined and not idle. One acquisition of the lock, whatever n is. Dies when there is no memory for the spill.
  void put(Termination<M>& term, const u64* entries, u32 n) {
    if (count_.fetch_add_acq_rel(n) == 0 && !mutated<M>(uncounted_)) term.raise(); // before any of them can be seen; see above
    if (mutated<M>(Trap::unlocked_put)) return put_locked(entries, n);
    Locked<typename M::Lock> guard(lock_);
    put_locked(entries, n);
  }

  // Any worker that is joined and not idle: up to `most` entries, oldest first, spilled ones last. 0: there was nothing to see.
  u32 take(Termination<M>& term, u64* entries, u32 most) {
    u32 got = take_ring(entries, most);
    if (got == 0 && spilled_.load_relaxed() != 0) got = take_spilled(entries, most); // relaxed: a hint, asked again under the lock
    // The taker is not idle and holds the entries, so pending may fall now: the phase cannot end before it has offered again.
    if (got != 0 && count_.fetch_sub_acq_rel(got) == got && !mutated<M>(uncounted_)) term.lower();
    return got;
  }

  // Hints: entries may come or go at any moment. The second is part of falling asleep (story A in bell.h).
  GARNER_INLINE bool looks_filled() const { return i64(bottom_.load_relaxed() - top_.load_relaxed()) > 0 || spilled_.load_relaxed() != 0; }
  bool looks_filled_seq_cst() const { return i64(bottom_.load_seq_cst() - top_.load_seq_cst()) > 0 || spilled_.load_seq_cst() != 0; }

  // Since start; between phases.
  u64 batches() const { return batches_; } // acquisitions of the lock by producers
  u64 spills() const { return spills_; } // entries that found no room

 private:
  // Called with lock_ held: bottom_ and what does not fit have one writer at a time.
  GARNER_INLINE void put_locked(const u64* entries, u32 n) {
    writes<M>(batches_)++;
    u64 bottom = bottom_.load_relaxed(); // ours: the lock is held
    // Acquire pairs with the release of take's CAS: the reads of the slots below top are over, so they may be overwritten.
    u64 room = top_.load_acquire() + mask_ + 1 - bottom;
    u32 fit = u32(min_of<u64>(room, n));
    for (u32 i = 0; i < fit; i++) writes<M>(slots_[(bottom + i) & mask_]).store_relaxed(entries[i]); // made visible by bottom_
    // Sequentially consistent, so that it stands before the producer's look at the sleepers (story A in bell.h); its release brings the slots.
    if (fit != 0) bottom_.store_seq_cst(bottom + fit);
    if (fit == n) return;
    spills_ += n - fit;
    for (u32 i = fit; i < n; i++) GARNER_CHECK(spill_.push(entries[i]), "no memory for the overflow of a node's queue");
    spilled_.store_seq_cst(u32(spill_.size())); // the same
  }
  u32 take_ring(u64* entries, u32 most) {
    u64 top = top_.load_acquire();
    for (Backoff lost;;) {
      u64 bottom = bottom_.load_acquire(); // pairs with put: the slots below bottom are written
      if (i64(bottom - top) <= 0) return 0;
      u32 n = u32(min_of<u64>(bottom - top, most));
      reads<M>(slots_);
      entries[0] = guesses<M>(slots_[top & mask_]).load_relaxed(); // worthless, as those that follow, unless the CAS succeeds
      for (u32 i = 1; i < n; i++) entries[i] = slots_[(top + i) & mask_].load_relaxed();
      bool won = top_.cas_acq_rel(top, top + n); // its release is what put() waits for
      guessed<M>(won);
      if (won) return n;
      top = look_again(lost);
    }
  }
  GARNER_COLD u64 look_again(Backoff& lost) {
    lost.wait(*machine_);
    return top_.load_acquire();
  }
  u32 take_spilled(u64* entries, u32 most) {
    Locked<typename M::Lock> guard(lock_);
    u32 n = u32(min_of<usize>(most, spill_.size()));
    for (u32 i = 0; i < n; i++) {
      entries[i] = spill_.back();
      spill_.pop();
    }
    spilled_.store_relaxed(u32(spill_.size())); // falling only: whoever misses it looks under the lock
    return n;
  }

  alignas(kLineBytes) Index top_;    // moved by CAS, by whoever takes the entries below its new value
  alignas(kLineBytes) Index bottom_; // stored holding the lock
  Entry* slots_ = nullptr;           // beside bottom_: read by the same people
  u32 mask_ = 0;
  alignas(kLineBytes) Index count_;  // entries announced and not taken; see WHO TELLS TERMINATION
  alignas(kLineBytes) typename M::Lock lock_; // guards bottom_, spill_ and the figures
  typename M::template Atomic<u32> spilled_;  // size of spill_, stored under the lock
  M* machine_ = nullptr;
  Vector<u64> spill_;
  u64 batches_ = 0, spills_ = 0;
  [[no_unique_address]] OwnTrap<M> uncounted_;
};

} // namespace garner
