// FinalizeQueue: the objects whose finalizers must run once, by generation, and those whose turn has come.
//
// Registered objects are weak: one list per generation, so a young collection looks at young ones only. Ready objects are roots:
// ordinary ones leave first, critical ones when no ordinary one is left.
// Concurrency: add() from any thread of the program and next_ready() from the one that runs finalizers, under one short spin lock; collections own everything.
#pragma once
#include "base/arena.h"
#include "base/atomic.h"
#include "seam/machine.h"

namespace garner {

class FinalizeQueue {
 public:
  static constexpr u32 kGenerations = 3;

  bool add(u32 generation, Ref ref) { // false: no memory
    Locked<SpinLock> guard(lock_);
    return registered[generation].push(ref);
  }
  // Who asks has ended the one before.
  Ref next_ready() {
    Locked<SpinLock> guard(lock_);
    ended_ += in_hand_;
    in_hand_ = 0;
    for (u32 critical = 0; critical < 2; critical++) {
      Vector<Ref>& list = ready[critical];
      if (taken_[critical] < list.size()) {
        Ref ref = list[taken_[critical]++];
        if (taken_[critical] == list.size()) {
          list.clear();
          taken_[critical] = 0;
        }
        in_hand_ = 1;
        return ref;
      }
    }
    return {0};
  }
  usize ready_count() {
    Locked<SpinLock> guard(lock_);
    return ready[0].size() - taken_[0] + ready[1].size() - taken_[1];
  }
  // What is ready or in hand, either of which keeps what it refers to; and how many finalizers have ended. While no collection is going on.
  struct Progress {
    usize waiting;
    u64 ended;
  };
  Progress progress() {
    const usize ready_ones = ready_count();
    Locked<SpinLock> guard(lock_);
    return {ready_ones + in_hand_, ended_};
  }
  // With the world stopped: forgets the taken prefix, so that the lists can be visited whole, and gives back the memory of lists that were long once.
  void compact() {
    for (Vector<Ref>& list : registered) give_back(list);
    for (u32 c = 0; c < 2; c++) {
      if (taken_[c] == 0) {
        give_back(ready[c]);
        continue;
      }
      usize n = ready[c].size() - taken_[c];
      memmove(static_cast<void*>(ready[c].begin()), ready[c].begin() + taken_[c], n * sizeof(Ref));
      ready[c].truncate(n);
      taken_[c] = 0;
      give_back(ready[c]);
    }
  }

  Vector<Ref> registered[kGenerations];
  Vector<Ref> ready[2]; // ordinary, critical

 private:
  static constexpr usize kKept = 1 << 16; // entries
  static void give_back(Vector<Ref>& list) { list.ease(list.size(), kKept); }

  SpinLock lock_;
  usize taken_[2] = {};
  usize in_hand_ = 0; // one at most
  u64 ended_ = 0;
};

} // namespace garner
