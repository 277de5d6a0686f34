// Memory for the collector's own tables, mapped and unmapped with a count of it (arena.h).
#include "base/arena.h"

#include <sys/mman.h>
#include <cstring>

#include "base/atomic.h"

namespace garner {
namespace {
// A table of a few pages is filled as soon as it is made: one call brings its pages, where each first touch would be an interrupt.
constexpr usize kBroughtBytes = 16 * KiB;
Atomic<usize> own{0}, lists{0}; // statistics: relaxed, pair with nothing

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

// Single pages that were given back last: to take one again and to clear it costs a tenth of what it takes the system to take it back and to bring another, and whoever starts
// and stops gangs all day (explored schedules) does little else. A sanitizer is to see who looks at one that was given back.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
void* take_page() { return nullptr; }
bool keep_page(void*) { return false; }
#else
Atomic<word> kept[16]; // 0 or a page that nobody else knows; taken by exchange_acq_rel, which pairs with the cas_acq_rel that left it there

void* take_page() {
  for (Atomic<word>& slot : kept)
    if (slot.load_relaxed() != 0)
      if (word at = slot.exchange_acq_rel(0); at != 0) return memset(reinterpret_cast<void*>(at), 0, kPageBytes);
  return nullptr;
}
bool keep_page(void* at) {
  for (Atomic<word>& slot : kept)
    if (word empty = 0; slot.load_relaxed() == 0 && slot.cas_acq_rel(empty, reinterpret_cast<word>(at))) return true;
  return false;
}
#endif
} // namespace

void* map_own(usize bytes) {
  bytes = align_up(bytes, kPageBytes);
  void* at = bytes == kPageBytes ? take_page() : nullptr;
  if (at == nullptr) {
    const int brought = bytes <= kBroughtBytes ? MAP_POPULATE : 0;
    at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | brought, -1, 0);
    if (at == MAP_FAILED) return nullptr;
  }
  own.fetch_add_relaxed(bytes);
  return at;
}

void unmap_own(void* at, usize bytes) {
  bytes = align_up(bytes, kPageBytes);
  own.fetch_sub_relaxed(bytes);
  if (bytes != kPageBytes || !keep_page(at)) munmap(at, bytes);
}

#if defined(__SANITIZE_THREAD__)
// The sanitizer knows mmap and munmap, but not mremap: accesses of whoever had an address before would be held against its next owner.
void* remap_own(void* at, usize old_bytes, usize new_bytes) {
  void* moved = map_own(new_bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, at, min_of(old_bytes, new_bytes));
  unmap_own(at, old_bytes);
  return moved;
}
#else
void* remap_own(void* at, usize old_bytes, usize new_bytes) {
  old_bytes = align_up(old_bytes, kPageBytes);
  new_bytes = align_up(new_bytes, kPageBytes);
  void* moved = mremap(at, old_bytes, new_bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return nullptr;
  own.fetch_add_relaxed(new_bytes);
  own.fetch_sub_relaxed(old_bytes);
  return moved;
}
#endif

usize own_bytes() { return own.load_relaxed(); }
usize list_bytes() { return lists.load_relaxed(); }
void count_list(i64 more) { lists.fetch_add_relaxed(usize(more)); }

} // namespace garner
