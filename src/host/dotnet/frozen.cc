// FrozenSegments: segments entered, removed and looked up, beside threads that read without a lock (frozen.h).
#include "host/dotnet/frozen.h"

namespace garner::dotnet {

FrozenEntry* FrozenSegments::add(word base, usize first, usize allocated, usize reserved) {
  Locked<SpinLock> guard(lock_);
  for (Block* block = &first_;;) {
    for (FrozenEntry& entry : block->entries) {
      if (entry.begin.load_relaxed() != 0) continue;
      entry.first = base + first;
      entry.allocated.store_relaxed(base + allocated);
      entry.reserved_end.store_relaxed(base + reserved);
      entry.begin.store_release(base);
      return &entry;
    }
    Block* next = block->next.load_relaxed();
    if (next == nullptr) {
      next = static_cast<Block*>(map_own(sizeof(Block)));
      if (next == nullptr) return nullptr;
      block->next.store_release(next);
    }
    block = next;
  }
}

void FrozenSegments::remove(FrozenEntry* entry) {
  Locked<SpinLock> guard(lock_);
  entry->begin.store_release(0);
}

bool FrozenSegments::contains(word address) const {
  for (const Block* block = &first_; block != nullptr; block = block->next.load_acquire())
    for (const FrozenEntry& entry : block->entries) {
      word begin = entry.begin.load_acquire();
      if (begin != 0 && address >= begin && address < entry.reserved_end.load_relaxed()) return true;
    }
  return false;
}

} // namespace garner::dotnet
