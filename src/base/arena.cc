#include "base/arena.h"

#include <sys/mman.h>

#include "base/atomic.h"

namespace garner {
namespace {
Atomic<usize> own{0}; // a statistic: relaxed, pairs with nothing
}

void* map_own(usize bytes) {
  bytes = align_up(bytes, kPageBytes);
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  own.fetch_add_relaxed(bytes);
  return at;
}

void unmap_own(void* at, usize bytes) {
  bytes = align_up(bytes, kPageBytes);
  munmap(at, bytes);
  own.fetch_sub_relaxed(bytes);
}

void* remap_own(void* at, usize old_bytes, usize new_bytes) {
  old_bytes = align_up(old_bytes, kPageBytes);
  new_bytes = align_up(new_bytes, kPageBytes);
  void* moved = mremap(at, old_bytes, new_bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return nullptr;
  own.fetch_add_relaxed(new_bytes);
  own.fetch_sub_relaxed(old_bytes);
  return moved;
}

usize own_bytes() { return own.load_relaxed(); }

} // namespace garner
