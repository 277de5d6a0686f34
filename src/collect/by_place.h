// ByPlace: a worker's marked objects that wait to be looked at, by where they lie, when there are very many of them.
//
// A deque gives the newest. Where what refers to each other was made at different times that is an object anywhere in the heap: a page that no processor's table of pages has, and to ask
// for a line ahead hides the line's way, not the page's, for which a request itself waits. So once the owner's part of a deque holds a quarter of its capacity what is marked next goes to the list of its
// 512 KB, and when the deque is empty a batch of one place comes from there: the next place behind the last one that has any, until it has none left, round and round. What lies in the same place as what came
// before it goes to the deque all the same, as long as that is not three quarters full: a run of neighbours, as an array that was filled at once refers to, is in order there too, and thieves see it.
//
// Invariants:
//  - Owner only: nobody else sees what waits here. Thieves live from the batches, half of which they see like anything in a deque.
//  - Empty whenever a phase asks a worker whether it is idle: drain() empties it, as it does with Ahead.
//  - An object is here at most once, as it is marked before it is put.
// Memory of a worker: 2 bytes for each that waits, in chunks of 60, and 4 for each 512 KB of the heap. Where it may take no more, or there is none, put() says so, and the object goes to the deque like any other.
// A deque that shares each entry at once (work.order=fifo) holds none of its own, so nothing comes here.
// Deviation from N13, whose queue is N8's alone.
#pragma once
#include "base/arena.h"
#include "seam/host.h"

namespace garner {

class ByPlace {
 public:
  // Of objects in [base, base + span); most: bytes that may be taken; from: see wants(). Before a collection's first object; empty then.
  void start(word base, usize span, usize most, u32 from) {
    base_ = base;
    span_ = span;
    most_ = most;
    from_ = from;
    place_ = 0;
    last_ = kNone;
  }
  // Whether what is marked next goes here, `waiting` entries being the owner's own in its deque.
  GARNER_INLINE bool wants(u32 waiting) const { return objects_ != 0 || waiting >= from_; }
  // False: no. waiting: as wants() was told.
  GARNER_INLINE bool put(Ref ref, u32 waiting) {
    const usize offset = ref.at - base_;
    const u32 place = u32(offset >> kPlaceShift);
    if (place == last_ && waiting / kRunsTo < from_) return false;
    last_ = place;
    if (GARNER_UNLIKELY(objects_ == 0) && !begin()) return false;
    u32& list = lists_[place];
    if (GARNER_UNLIKELY(list == kNone || chunks_[list].count == kEach) && !lengthen(list)) return false;
    Chunk& chunk = chunks_[list];
    chunk.at[chunk.count++] = u16(offset / kWordBytes);
    objects_++;
    return true;
  }
  // Gives fn some of those that wait, all of one place; false when none do.
  template <class F> bool next(F fn) {
    if (objects_ == 0) return false;
    while (lists_[place_] == kNone) place_ = place_ + 1 < lists_.size() ? place_ + 1 : 0;
    const word place = base_ + (usize(place_) << kPlaceShift);
    for (u32 n = 0; n < kBatch && lists_[place_] != kNone; n++) {
      const u32 taken = lists_[place_];
      Chunk& chunk = chunks_[taken];
      for (u32 i = 0; i < chunk.count; i++) fn(Ref{place + chunk.at[i] * kWordBytes});
      objects_ -= chunk.count;
      lists_[place_] = chunk.next;
      chunk.next = free_, free_ = taken;
    }
    return true;
  }
  // Gives the chunks' memory back where it is more than `keep` bytes. Empty; whoever holds the collection lock, no collection going on.
  void trim(usize keep) {
    if (chunks_.capacity() * sizeof(Chunk) <= keep) return;
    chunks_.release();
    free_ = kNone;
  }

 private:
  static constexpr u32 kPlaceShift = 19; // 64 Ki words: 16 bits tell one of them; 128 small pages, and as much as a cache of the second level holds
  static constexpr u32 kEach = 60, kBatch = 16;
  static constexpr u32 kRunsTo = 3; // times as many as let anything come here: so many leave a deque room for what else comes
  static constexpr u32 kNone = ~u32(0);
  struct Chunk {
    u32 next, count; // the list's next chunk
    u16 at[kEach];   // words from the begin of the place
  };
  static_assert(sizeof(Chunk) == 2 * kLineBytes);

  GARNER_COLD bool begin() {
    const usize had = lists_.size(), places = div_up(span_, usize(1) << kPlaceShift);
    if (had >= places) return true; // each list is empty
    if (places * sizeof(u32) > most_ / 2 || !lists_.resize(places)) {
      from_ = ~u32(0); // not in this collection
      return false;
    }
    for (usize i = had; i < places; i++) lists_[i] = kNone;
    return true;
  }
  GARNER_COLD bool lengthen(u32& list) {
    u32 fresh = free_;
    if (fresh != kNone) {
      free_ = chunks_[fresh].next;
    } else { // half: a vector may have grown further than it is used
      fresh = u32(chunks_.size());
      if ((usize(fresh) + 1) * sizeof(Chunk) > most_ / 2 || !chunks_.push({})) return false;
    }
    chunks_[fresh].next = list;
    chunks_[fresh].count = 0;
    list = fresh;
    return true;
  }

  word base_ = 0;
  usize span_ = 0, most_ = 0, objects_ = 0;
  u32 from_ = ~u32(0), place_ = 0, free_ = kNone;
  u32 last_ = kNone; // the place of the last one that was to be put
  Vector<u32> lists_; // by place: its newest chunk
  Vector<Chunk> chunks_;
};

} // namespace garner
