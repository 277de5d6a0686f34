// Parking: how workers are let go at the start of a phase, how the conductor learns of its end, and where both sleep between.
//
// sync=futex (N17), lazy parking. `stamp` holds the epoch; workers sleep on it with the last value they have seen, so the system
// compares and sleeps in one step:
//   1. worker A sees phase e over and is put aside before it sleeps;   2. the conductor opens e+1: stamp := e+1, wake;
//   3. A asks to sleep. Without the compare it would miss the wake and, if e+1 counts on it, the phase would hang.
//   With it, park finds stamp != e, returns, and A takes part in e+1.
// No lock, no barrier: whoever sees the end goes to sleep. `done` is the same device for a waiting conductor.
//
// sync=monitor (N5, N11), the baseline. Workers sleep on the GC monitor, the conductor on the VM monitor. At the end of a phase all
// workers but the leader (who got the final task) arrive at a barrier: under the GC lock they raise a second counter, notify, and
// sleep; the leader waits until all have arrived and wakes the conductor. A worker holds the lock from arriving to sleeping, so the
// race above does not exist. It is this barrier, not the termination word, that makes term_exit=literal safe.
#pragma once
#include "seam/watch.h"
#include "work/config.h"
#include "work/monitor.h"

namespace garner {

template <class M> class Parking {
 public:
  using Self = typename M::Self;
  static constexpr u32 kSpins = 200; // looks at `done` before the conductor sleeps

  void start(M& machine, SyncKind sync, LockKind lock, u32 epoch) {
    machine_ = &machine;
    sync_ = sync;
    gc_.start(machine, lock);
    vm_.start(machine, lock);
    stamp_.store_relaxed(epoch);
    done_.store_relaxed(epoch);
    opened_ = finished_ = epoch;
    arrived_ = 0;
  }

  // -- conductor --

  // Lets workers into phase `epoch`; wakes up to `sleepers` of them (a monitor wakes all).
  void release(Self& self, u32 epoch, u32 sleepers) {
    if (sync_ == SyncKind::futex) {
      stamp_.store_release(epoch); // pairs with await's acquire: brings queue, termination word and job of this phase
      if (sleepers != 0) machine_->wake(self, stamp_, sleepers);
      return;
    }
    gc_.lock(self);
    writes<M>(opened_) = epoch;
    writes<M>(arrived_) = 0;
    gc_.notify_all(self);
    gc_.unlock(self);
  }

  // Until finish(epoch).
  void await_done(Self& self, u32 epoch) {
    if (sync_ == SyncKind::futex) {
      for (u32 i = 0; i < kSpins && done_.load_relaxed() != epoch; i++) self.pause();
      u32 seen;
      while ((seen = done_.load_acquire()) != epoch) machine_->park(self, done_, seen); // acquire: pairs with finish
      return;
    }
    vm_.lock(self);
    while (reads<M>(finished_) != epoch) vm_.wait(self);
    vm_.unlock(self);
  }

  // -- workers --

  // Sleeps until the epoch differs from `seen`, returns it. With `arriving`, first counts the caller in at the final barrier.
  u32 await(Self& self, u32 seen, bool arriving) {
    if (sync_ == SyncKind::futex) {
      while (true) {
        u32 epoch = stamp_.load_acquire(); // pairs with release()
        if (epoch != seen) return epoch;
        reached(self, Spot::parking);
        machine_->park(self, stamp_, seen);
      }
    }
    gc_.lock(self);
    if (arriving) arrive_locked(self);
    while (reads<M>(opened_) == seen) gc_.wait(self);
    u32 epoch = opened_;
    gc_.unlock(self);
    return epoch;
  }

  // Monitor: a worker that does not sleep afterwards (the conductor, who works too) arrives.
  [[gnu::noinline]] void arrive(Self& self) { // once a phase and worker: compilers would inline it into some phases and not into others
    gc_.lock(self);
    arrive_locked(self);
    gc_.unlock(self);
  }

  // Monitor: the leader waits for the others.
  void await_arrivals(Self& self, u32 others) {
    gc_.lock(self);
    while (reads<M>(arrived_) != others) gc_.wait(self);
    gc_.unlock(self);
  }

  // The phase is over and everything is written: wakes the conductor.
  void finish(Self& self, u32 epoch) {
    if (sync_ == SyncKind::futex) {
      // Release: the caller has seen all offers (acquire), so this hands everybody's writes on. The conductor cannot open another
      // phase before this store, hence it cannot overwrite a later one.
      done_.store_release(epoch);
      machine_->wake(self, done_, 1);
      return;
    }
    vm_.lock(self);
    writes<M>(finished_) = epoch;
    vm_.notify_all(self);
    vm_.unlock(self);
  }

  bool locks() const { return sync_ == SyncKind::monitor; }
  Monitor<M>& gc_monitor() { return gc_; }
  Monitor<M>& vm_monitor() { return vm_; }

 private:
  void arrive_locked(Self& self) {
    writes<M>(arrived_)++;
    gc_.notify_all(self); // the leader sleeps here, and so does everybody else: the baseline wakes them all
  }

  alignas(kLineBytes) typename M::template Atomic<u32> stamp_; // futex word of the workers: the epoch let in last
  alignas(kLineBytes) typename M::template Atomic<u32> done_;  // futex word of the conductor: the epoch finished last
  Monitor<M> gc_;
  Monitor<M> vm_;
  M* machine_ = nullptr;
  SyncKind sync_ = SyncKind::futex;
  u32 opened_ = 0, arrived_ = 0; // guarded by gc_
  u32 finished_ = 0;             // guarded by vm_
};

} // namespace garner
