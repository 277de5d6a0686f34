// Object starts: for every card of a region, where to begin a walk to the object that covers the card's first byte.
//
// Whoever carves a buffer enters its begin, where an object will start, for each card that begins in it (heap/space.h): some two bytes for each 2 KiB, whatever is put there. So
// the way to an object is a buffer's at most, however large the heap and whatever has just become old, and a look at a card never waits for a walk over its whole region. What a
// look walks over is entered exactly, so that no card's way is long twice. Where objects come to lie one after the other anyway (sliding, sweeping) each is entered, and so is what a
// marking beside the program comes by: of a heap of 4 GB nearly every card is new to a young collection, and the way to it took longer than the look.
// Invariant (cycle/verify.ipp): the entry of a card in [begin, top) of a region tells the start of an object or filler at or below the card. Who makes one filler of several
// dead objects enters it, as there is no start any more where they were.
// Entry: offset of the block in words from the region's begin; 16 bits hold it for regions up to 512 KiB.
// Concurrency: entries are written with the range that is carved, by whoever got it. Looks of several workers at one region, while no object in it moves, enter what is true of it: relaxed. So does the thread that marks, of
// objects that are there while it runs: those who carve meanwhile enter other cards, and of what two enter for one card both is true.
#pragma once
#include "heap/heap.h"

namespace garner {

// The block [at, next) of the region that begins at `begin` and has these starts.
template <class M> GARNER_INLINE void note_start(u16* starts, word begin, word at, word next) {
  for (word card = align_up(at, kCardBytes); card < next; card += kCardBytes) {
    u16* entry = &starts[(card - begin) >> kCardShift];
    saw<M>(Access::atomic_write, entry, sizeof *entry);
    __atomic_store_n(entry, u16((at - begin) / kWordBytes), __ATOMIC_RELAXED);
  }
}
// The same, of region `index`; most blocks begin no card.
template <class M> GARNER_INLINE void note_start(Heap<M>& heap, u32 index, word at, word next) {
  if (align_up(at, kCardBytes) < next) note_start<M>(heap.starts_of(index), heap.begin_of(index), at, next);
}
template <class M> GARNER_INLINE word start_before(Heap<M>& heap, u32 index, word at) {
  const word begin = heap.begin_of(index);
  const u16* entry = &heap.starts_of(index)[(at - begin) >> kCardShift];
  saw<M>(Access::atomic_read, entry, sizeof *entry);
  return begin + __atomic_load_n(entry, __ATOMIC_RELAXED) * kWordBytes;
}

template <class M> GARNER_INLINE void set_start(Heap<M>& heap, u32 index, word card, word block) {
  const word begin = heap.begin_of(index);
  u16* entry = &heap.starts_of(index)[(card - begin) >> kCardShift];
  saw<M>(Access::atomic_write, entry, sizeof *entry);
  __atomic_store_n(entry, u16((block - begin) / kWordBytes), __ATOMIC_RELAXED);
}

// The block of the object that covers `at` (begin <= at < top of region `index`).
template <class H, class M> word block_covering(Heap<M>& heap, H& host, u32 index, word at) {
  word block = start_before(heap, index, at);
  const bool far = block + kCardBytes < align_down(at, kCardBytes); // else at most one card on the way, and seldom
  for (word next; (next = block + host.size(ref_of(block))) <= at; block = next)
    if (GARNER_UNLIKELY(far)) note_start(heap, index, block, next);
  if (GARNER_UNLIKELY(far)) note_start(heap, index, block, at + 1);
  return block;
}

// Where the last hole of a small region will end: what was never carved is part of it, where a filler fits.
template <class M> word carved_end(Heap<M>& heap, u32 index) {
  const word top = heap.region(index).top.load_relaxed(), end = heap.end_of(index);
  return end - top >= kMinObjectBytes ? end : top;
}

// Makes a filler of all that is not marked between two objects of a region that live; fn(from, to) of each, ascending. A card's start that now lies inside one becomes that
// filler's.
template <class M, class Table, class F> void fill_gaps(Heap<M>& heap, const Table& marks, u32 index, F fn) {
  const word begin = heap.begin_of(index), top = heap.region(index).top.load_relaxed();
  for (word card = begin; card < top; card += kCardBytes)
    if (const word block = start_before(heap, index, card); !marks.is_marked(block)) set_start(heap, index, card, marks.gap_begin(block, begin));
  marks.each_gap(begin, top, [&](word from, word to) { // last: what fn() gives away is marked by others from then on
    heap.fill(from, to - from);
    note_start(heap, index, from, to);
    fn(from, to);
  });
}

// Calls fn(block) for what lies in a small region, in order, fillers too; where the dead have not been swept, for what lives. fn says whether to go on. By who holds the marking's thread.
template <class H, class M, class F> void each_block(Heap<M>& heap, H& host, u32 index, F fn) {
  auto& r = heap.region(index);
  const word begin = heap.begin_of(index), top = r.top.load_relaxed();
  if (r.unswept) {
    bool go_on = true;
    heap.old_marks().each(begin, align_up(top, kMarkBlockBytes), [&](word block, usize) { go_on = go_on && fn(block); });
    return;
  }
  for (word block = begin; block < top && fn(block);) block += host.size(ref_of(block));
}

// The marked object that covers `at`, or 0.
template <class M> word marked_covering(Heap<M>& heap, u32 index, word at) {
  word found = 0;
  heap.old_marks().each_touching(align_down(at, kMarkBlockBytes), align_down(at, kMarkBlockBytes) + kMarkBlockBytes, heap.begin_of(index), [&](word block) {
    if (block <= at && at < block + heap.old_marks().size_at(block, heap.end_of(index))) found = block;
  });
  return found;
}

// The object that an interior pointer belongs to, or 0: outside the heap, in unused memory, or in a filler.
// A pointer one past an object's end belongs to that object. Safe from several workers while nothing moves.
template <class H, class M> Ref object_containing(Heap<M>& heap, H& host, word pointer) {
  if (!heap.contains(pointer)) return {0};
  word at = pointer - kHeadBytes;
  u32 index = heap.index_at(at);
  auto& first = heap.region(index);
  if (first.role == Role::free) return {0};
  if (is_large(first.role)) {
    u32 head = heap.head_of(index);
    word block = heap.begin_of(head);
    return at < block + heap.region(head).object_bytes ? ref_of(block) : Ref{0};
  }
  if (at >= first.top.load_relaxed()) return {0};
  if (GARNER_UNLIKELY(first.unswept)) {
    const word block = marked_covering(heap, index, at);
    return block != 0 ? ref_of(block) : Ref{0};
  }
  Ref found = ref_of(block_covering(heap, host, index, at));
  return host.filler(found) ? Ref{0} : found;
}

} // namespace garner
