// Atomics outside every range (on a stack, in static memory, in tables mapped privately): each gets a number, in order of first use.
//
// Neither ASLR, nor what an allocator did before, nor how an object happens to lie on its line can reach a result: the host address
// serves only to find the number. With each goes one T, what a cost model knows of its line, all zero at first.
// Invariant: numbering goes on over forget(), so a number is never given out twice.
#pragma once
#include "base/arena.h"
#include "base/random.h"

namespace garner::sim {

template <class T> class Strangers {
 public:
  [[nodiscard]] bool reset() { // as if new
    if (table_.empty() && !table_.resize(64)) return false;
    forget();
    next_number_ = 1;
    return true;
  }
  // No address is known any more.
  void forget() {
    memset(static_cast<void*>(table_.begin()), 0, table_.size() * sizeof(Entry));
    used_ = 0;
  }
  // The T of a word; `number` is set to its order of first use, from 1. Null when there is no memory.
  T* find(word at, u64& number) {
    Entry* one = &probe(at);
    if (GARNER_UNLIKELY(one->number == 0)) {
      if (one->at == 0) {
        if (2 * (used_ + 1) > table_.size()) {
          if (!grow()) return nullptr;
          one = &probe(at);
        }
        used_++;
      }
      *one = {at, next_number_++, T{}};
    }
    number = one->number;
    return &one->what;
  }
  // A new object begins at this address: the next use of it gets a new number.
  void renew(word at) {
    Entry& one = probe(at);
    if (one.at == at) one.number = 0;
  }

 private:
  struct Entry {
    word at;    // 0: empty
    u64 number; // 0: renewed, not used since
    T what;
  };
  GARNER_INLINE Entry& probe(word at) {
    const usize mask = table_.size() - 1;
    usize i = usize(mix64(at)) & mask;
    while (table_[i].at != at && table_[i].at != 0) i = (i + 1) & mask;
    return table_[i];
  }
  bool grow() {
    Vector<Entry> old;
    if (!old.resize(table_.size())) return false;
    memcpy(static_cast<void*>(old.begin()), table_.begin(), old.size() * sizeof(Entry));
    if (!table_.resize(old.size() * 2)) return false;
    memset(static_cast<void*>(table_.begin()), 0, table_.size() * sizeof(Entry));
    for (const Entry& one : old)
      if (one.at != 0) probe(one.at) = one;
    return true;
  }

  Vector<Entry> table_; // open addressing, a power of two
  usize used_ = 0;
  u64 next_number_ = 1;
};

} // namespace garner::sim
