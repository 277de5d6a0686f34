// Monitor: a lock and one condition variable, built on park and wake (N5). The baseline's bottleneck, rebuilt so that it can be measured.
//
// Two locks (N15). posix: one attempt, then sleep; what a default pthread mutex does. spin_cas_then_posix: a bounded number of
// compare-and-swaps first, every one of which takes the line away from the owner; this is what collapses under many workers.
// Every acquisition and all time spent waiting for the lock are counted, under the lock itself.
#pragma once
#include "options/table.h"
#include "seam/machine.h"
#include "seam/watch.h"

namespace garner {

struct LockCounts { u64 acquisitions, contended, wait_ns; };

template <class M> class Monitor {
 public:
  using Self = typename M::Self;
  using Futex = typename M::template Atomic<u32>;
  static constexpr u32 kSpins = 200; // attempts before sleeping, spin_cas_then_posix

  void start(M& machine, LockKind kind) {
    machine_ = &machine;
    kind_ = kind;
    counts_ = {};
  }

  // Nanoseconds waited, 0 when the lock was free.
  u64 lock(Self& self) {
    u64 waited = 0;
    if (!try_lock()) {
      u64 start = self.now();
      lock_slow(self);
      waited = self.now() - start;
      counts_.contended++;
      counts_.wait_ns += waited;
    }
    writes<M>(counts_).acquisitions++;
    return waited;
  }

  void unlock(Self& self) {
    // Release: pairs with the next owner's acquire. kSlept means that somebody may sleep: without the wake it would sleep for ever.
    if (state_.exchange_acq_rel(kFree) == kSlept) machine_->wake(self, state_, 1);
  }

  // Gives the lock back, sleeps until a notify, takes it again; may return early, so callers test their condition in a loop.
  // A notify cannot be lost: it changes turn_ under the lock, and turn_ was read under the lock; if it changed between our unlock
  // and our sleep, park finds another value and returns.
  void wait(Self& self) {
    u32 turn = turn_.load_relaxed(); // ordered by the lock
    writes<M>(waiters_)++;
    unlock(self);
    machine_->park(self, turn_, turn);
    lock(self);
    writes<M>(waiters_)--;
  }

  // Holding the lock. Everybody waiting wakes up and contends for it, as in the baseline.
  void notify_all(Self& self) {
    turn_.fetch_add_relaxed(1); // ordered by the lock; pairs with the compare in park
    if (reads<M>(waiters_) != 0) machine_->wake(self, turn_, ~u32(0));
  }

  // Any thread. Takes the lock, which is not counted.
  LockCounts counts(Self& self) {
    if (!try_lock()) lock_slow(self);
    LockCounts counts = reads<M>(counts_);
    unlock(self);
    return counts;
  }

 private:
  enum : u32 { kFree = 0, kHeld = 1, kSlept = 2 };

  bool try_lock() {
    u32 seen = kFree;
    return state_.cas_acq_rel(seen, kHeld); // acquire: pairs with the release in unlock; without it the guarded words could be read old
  }
  GARNER_COLD void lock_slow(Self& self) {
    if (kind_ == LockKind::spin_cas_then_posix)
      for (u32 i = 0; i < kSpins; i++) {
        if (try_lock()) return;
        self.pause();
      }
    // kSlept, not kHeld: others may sleep behind us, and our own unlock must wake them.
    while (state_.exchange_acq_rel(kSlept) != kFree) machine_->park(self, state_, kSlept);
  }

  alignas(kLineBytes) Futex state_; // kFree, kHeld, kSlept; see lock and unlock
  Futex turn_;                      // the condition variable: number of notifies, written under the lock
  M* machine_ = nullptr;
  LockKind kind_ = LockKind::posix;
  u32 waiters_ = 0;                 // guarded by the lock, as are the counts
  LockCounts counts_ = {};
};

} // namespace garner
