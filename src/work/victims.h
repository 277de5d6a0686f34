// Victims: whom a worker may take from, as data (N9). Today everybody, at random; lists ordered by distance or cut to one node go here.
//
// Two forms: the roster (everybody who has joined the phase, listed in the order of joining), or a list of worker numbers given from outside
// between phases. A listed worker that has not joined has an empty deque. The same list answers "for whose deque may I withdraw
// from termination": a worker that withdrew for a deque it must not take from would withdraw and offer for ever (N23, T13).
#pragma once
#include "base/words.h"
#include "base/random.h"
#include "work/config.h"

namespace garner {

// Who has joined, by order of joining. An entry carries its epoch: a thief may read it before the newcomer has written it, and an
// old name, though harmless (an empty deque), would be an attempt in vain.
template <class M> class Roster {
 public:
  using Entry = typename M::template Atomic<u64>;
  void start(Entry* entries) { entries_ = entries; }
  // By the newcomer (join=late) or the conductor (fixed). Release: pairs with at().
  void enter(u32 epoch, u32 ordinal, u32 worker) { entries_[ordinal].store_release(u64(epoch) << 32 | worker); }
  // The worker's number, or kWorkersMax while that entry is not written for this epoch.
  u32 at(u32 epoch, u32 ordinal) const {
    u64 e = entries_[ordinal].load_acquire();
    return e >> 32 == epoch ? u32(e) : kWorkersMax;
  }

 private:
  Entry* entries_ = nullptr;
};

template <class M> class Victims {
 public:
  // Null: the roster. The list stays the caller's and does not hold the worker itself.
  void set(const u32* list, u32 count) {
    list_ = list;
    count_ = count;
  }
  // How many candidates there are when `joined` workers are in the phase, the caller among them.
  u32 count(u32 joined) const { return list_ != nullptr ? count_ : joined - 1; }
  // Candidate i; `ordinal` is the caller's place in the roster, which is left out.
  u32 at(u32 i, const Roster<M>& roster, u32 epoch, u32 ordinal) const {
    return list_ != nullptr ? list_[i] : roster.at(epoch, i + (i >= ordinal ? 1 : 0));
  }

 private:
  const u32* list_ = nullptr;
  u32 count_ = 0;
};

} // namespace garner
