// FrozenSegments: ranges of objects that live outside our heap for ever: literals, type objects, boxed statics.
//
// The runtime fills them itself and never lets them refer to our heap, so collections need not know them at all; the list
// answers "is this object in one". Registration comes in preemptive mode, perhaps in the middle of a collection: slots are
// published with a release store and read without a lock.
#pragma once
#include "base/arena.h"
#include "base/atomic.h"

namespace garner::dotnet {

struct FrozenEntry {
  Atomic<word> begin; // 0: unused; release after the other fields, acquire by readers
  word first;
  Atomic<word> allocated, reserved_end; // relaxed: grow only
};

class FrozenSegments {
 public:
  FrozenEntry* add(word base, usize first, usize allocated, usize reserved); // null: no memory
  void remove(FrozenEntry* entry);
  bool contains(word address) const;
  // fn(entry, begin): every segment.
  template <class F> void each(F fn) const {
    for (const Block* block = &first_; block != nullptr; block = block->next.load_acquire())
      for (const FrozenEntry& entry : block->entries)
        if (word begin = entry.begin.load_acquire(); begin != 0) fn(entry, begin);
  }

 private:
  static constexpr u32 kPerBlock = 64;
  struct Block {
    FrozenEntry entries[kPerBlock];
    Atomic<Block*> next; // release by the one who appended, acquire by readers
  };
  Block first_;
  SpinLock lock_; // guards adding and removing
};

} // namespace garner::dotnet
