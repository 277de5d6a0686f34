// Object starts: for every card of a region, the object that covers the card's first byte. Built on demand, by walking.
//
// Nothing is recorded when objects are allocated, copied or promoted: a region that no dirty card and no interior pointer ever asks
// about costs nothing. What was built stays valid until the region's objects move (starts_top goes back to base then). Where a sweep goes over all objects of a region anyway it
// builds them on its way: else the next young collection would, for every region that the program has written to meanwhile.
// Entry: offset of the object's block in words from the region's begin; 16 bits hold it for regions up to 512 KiB.
// Concurrency: lookups from several workers while roots are gathered: starts_lock. Card scanning owns its region.
#pragma once
#include "heap/heap.h"

namespace garner {

// The block [at, next) of the region that begins at `begin` and has these starts.
template <class M> GARNER_INLINE void note_start(u16* starts, word begin, word at, word next) {
  for (word card = align_up(at, kCardBytes); card < next; card += kCardBytes) writes<M>(starts[(card - begin) >> kCardShift]) = u16((at - begin) / kWordBytes);
}

// Extends the starts of region `index` to `top`. The region's [base, top) must be walkable, and nobody may be writing objects into it.
template <class H, class M> void extend_starts(Heap<M>& heap, H& host, u32 index, word top) {
  auto& r = heap.region(index);
  word begin = heap.begin_of(index), at = reads<M>(r.starts_top);
  if (GARNER_LIKELY(at >= top)) return;
  u16* starts = heap.starts_of(index);
  while (at < top) {
    word next = at + host.size(ref_of(at));
    note_start<M>(starts, begin, at, next);
    at = next;
  }
  writes<M>(r.starts_top);
  r.starts_top = at;
}

// The block of the object that covers `at` (base <= at < starts_top of region `index`).
template <class H, class M> word block_covering(Heap<M>& heap, H& host, u32 index, word at) {
  word begin = heap.begin_of(index);
  word block = begin + reads<M>(heap.starts_of(index)[(at - begin) >> kCardShift]) * kWordBytes;
  for (word next; (next = block + host.size(ref_of(block))) <= at;) block = next;
  return block;
}

// The object that an interior pointer belongs to, or 0: outside the heap, in unused memory, or in a filler.
// A pointer one past an object's end belongs to that object. Safe from several workers while nothing moves.
template <class H, class M> Ref object_containing(Heap<M>& heap, H& host, word pointer) {
  if (!heap.contains(pointer)) return {0};
  word at = pointer - kHeadBytes;
  u32 index = heap.index_at(at);
  auto& first = heap.region(index);
  if (first.role == Role::free) return {0};
  if (first.role == Role::large || first.role == Role::large_tail) {
    u32 head = heap.head_of(index);
    word block = heap.begin_of(head);
    return at < block + heap.region(head).object_bytes ? ref_of(block) : Ref{0};
  }
  if (at >= first.top.load_relaxed()) return {0};
  while (first.starts_lock.exchange_acq_rel(1) != 0) heap.machine().relax(1); // pairs with the release below
  extend_starts(heap, host, index, first.top.load_relaxed());
  first.starts_lock.store_release(0);
  Ref found = ref_of(block_covering(heap, host, index, at));
  return host.filler(found) ? Ref{0} : found;
}

} // namespace garner
