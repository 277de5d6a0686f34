// Incremental compaction: empties chosen regions of old space, some at the end of each young collection, after a marking beside the program
// (collect.moved_at_once).
//
// What happens (collect/concurrent/marking.h drives it, cycle/beside.ipp calls the pauses; "workers" marks what runs on the gang, "thread" what runs beside the program):
//   choose     in the marking's last pause, when the live bytes of every region are known: the emptiest regions leave, in groups, the emptiest first. Their holes are given to nobody
//   found      thread: all old objects are read once, and written pages again, as in a marking; what is noted are slots that refer into regions that leave
//   a pause    after a young collection:
//     begin      sequential: lists of tasks
//     gather     workers: roots that refer into regions that leave, and pins
//     plan       sequential: the portion that goes now, one group or a few; regions with pins stay
//     copy       workers, a list of regions each: objects are copied into fresh regions, and leave a forwarding
//     update     workers: slots noted for the portion, written pages, young objects, copies, regions of the portion that stay, roots, handles
//     finish     sequential: finalizable objects; emptied regions are freed, those that stay give their holes back
//
// WHY NO REFERENCE IS MISSED. Old space is closed: what is old and was not swept refers to nothing that was. A slot with a reference into a region that goes lies in (1) an old
// object that has been there since the choice, and was read by the thread after its last change or lies on a written page; (2) one that became old since, whose
// pages were noted as written (Heap::grown_old) and cleaned when they were read, in which case it is as (1); (3) a copy of an earlier portion, which was read as it was
// copied; (4) a young object, all of which are read in the pause; (5) a root or a handle. A noted slot is looked at once, with the portion of what it referred to: since it was noted it was not changed, or its page has been
// read again, in that pause at the latest. In a region that leaves a slot is noted only for what goes before it: else it is read with its copy, as (3), or, where the region turns out to stay, with all of that region in the
// pause that finds it (unread_staying), its written pages apart, which are read in that pause as (1). So no list that is kept leads into a region that was emptied.
//
// Invariants:
//  - From the choice to the end old_marks() are exactly the old objects, so pages can be read by them; whatever becomes old is marked.
//  - A region goes whole or not at all: the memory for all of its copies is there before the first.
//  - A header with a forwarding is read only from plan to finish, and only in regions that go.
//  - A region into which more than kMostSlots refer, or one of whose slots there was no memory to note, or too many with those of all others, stays.
// Guards that can be left out (Trap, seam/watch.h), for tests/collect/marking_traps.cc and marking_explored.cc: late_pin, unread_copies, unread_staying, early_reuse, unwatched_store, late_cleaning.
#pragma once
#include "collect/compact/compaction.h"
#include "heap/starts.h"

namespace garner {

// What is not marked in a region of old space, as holes of `space`.
template <class M> void offer_holes(Heap<M>& heap, Space<M>& space, u32 index) {
  auto& r = heap.region(index);
  r.top.store_relaxed(r.scan_top = carved_end(heap, index));
  fill_gaps(heap, heap.old_marks(), index, [&](word from, word to) { space.add_hole(from, to); });
}

template <class H, class M> class Moving {
 public:
  using Self = typename M::Self;
  using Worker = Collecting<M>;

  Moving(Heap<M>& heap, H& host, Spaces<M>& spaces, Worker* workers, u32 worker_count, const Settings& settings)
      : heap_(heap), host_(host), spaces_(spaces), workers_(workers), worker_count_(worker_count), at_once_(settings.bytes(Opt::moved_at_once)),
        root_batch_(u32(settings.get(Opt::root_batch))), ahead_(u32(settings.get(Opt::ahead))) {}

  // -- the marking's last pause; live_bytes of all regions are known --
  bool choose(); // false: none is worth it
  bool any() const { return !leaving_.empty(); }
  u64 next_bytes() const { return any() ? portion_bytes_ : 0; } // that the next pause is likely to copy
  bool leaves(u32 index) const { return state_of(index) != Going::none; }
  u64 hole_bytes() const { return hole_bytes_; } // in regions that leave: nobody's until they are empty

  // -- the thread: a slot of an old object, and what it refers to --
  GARNER_INLINE void found(Slot slot, Ref ref) {
    const u32 index = heap_.index_of(ref);
    if (state_of(index) == Going::leaves) note(slot, index);
  }

  // -- a pause --
  bool begin(); // false: no memory for lists, nothing goes now
  void gather_task(Self& self, Kind kind);
  void plan(u32 lists, usize written_pages);
  u32 copy_tasks() const { return u32(lists_.size()); }
  void copy_task(Self& self, u32 task);
  u32 update_tasks();
  template <class ReadPage> void update_task(Self& self, u32 task, ReadPage read_page);
  void finish();
  u64 moved_bytes() const { return moved_.load_relaxed(); }

  void stay();   // nothing more goes; holes become old space's
  void forget(); // the same without its holes: a full collection finds them

  // A slot that a worker reads in the pause, by where it lies. staying: in a region of the portion that stays, where another worker may meet it as one that was noted.
  enum class Holder : u8 { old, staying, copy, young };
  GARNER_INLINE void update(Self& self, Worker& w, Slot slot, Holder holder);
  Ref now_at(Ref ref) const {
    if (!heap_.contains(ref.at) || state_of(heap_.index_of(ref)) != Going::goes) return ref;
    return forward_target(__atomic_load_n(reinterpret_cast<const word*>(header_of(ref).at), __ATOMIC_RELAXED)); // relaxed: written in the phase before
  }
  u32 generation_now(Ref ref) const { return heap_.contains(ref.at) ? generation_of_label(heap_.label_of(ref)) : 2; }
  bool goes(u32 index) const { return state_of(index) == Going::goes; }

 private:
  // stays: chosen, but there is a reason against it.
  enum class Going : u8 { none, leaves, goes, stays };
  static constexpr u32 kMostSlots = 1 << 16;     // into one region
  static constexpr usize kMostSlotsInAll = 1 << 20; // a word each
  static constexpr u64 kSparse = 2;              // at most one part of so many lives
  static constexpr u64 kWorth = 16;              // the part of old space that must come free
  static constexpr u64 kLeastRegions = 2;        // and so many of them
  static constexpr u32 kPortions = 6;            // groups at most, in all: the holes of the others are filled meanwhile
  static constexpr u64 kCopiedForPage = 1 * KiB; // what takes as long to copy as a written page to read: a portion takes no less, or reading would be most of it
  static constexpr u64 kCopiedForSlot = 128;     // the same of a noted slot: its line, and that of what has moved
  static constexpr u32 kLiveClasses = 32;
  static constexpr u32 kSlotsPerTask = 4096, kRegionsPerTask = 16, kYoungPerTask = 4, kChunksPerTask = 8;
  static constexpr usize kSlotsAhead = 12; // whose lines are asked for before they are read
  struct List { u32 first, last; }; // range of portion_
  struct Into { u32 region; word top; };
  struct Part { u32 worker, first; };

  GARNER_INLINE Going state_of(u32 index) const { return GARNER_LIKELY(index < going_.size()) ? Going(__atomic_load_n(&going_[index], __ATOMIC_RELAXED)) : Going::none; }
  void set(u32 index, Going state) { __atomic_store_n(&going_[index], u8(state), __ATOMIC_RELAXED); } // racing workers store the same value
  void pin(Ref ref) {
    if (u32 index = heap_.index_of(ref); state_of(index) == Going::leaves) set(index, Going::stays);
  }
  static Ref load_noted(Self& self, Slot slot) { return {self.header(Header{slot.at})}; } // two workers may have it, and the other write it: rewrite()
  void follow(Self& self, Worker& w, Slot slot, Ref ref);
  void rewrite(Self& self, Slot slot);
  void rewrite_rest(Self& self, Worker& w);
  void update_slots(Self& self, Worker& w, const Vector<word>& slots, u32 task);
  void update_young(Self& self, Worker& w, u32 task);
  void update_copies(Self& self, Worker& w, u32 task);
  void update_staying(Self& self, Worker& w, u32 index);
  GARNER_INLINE void note(Slot slot, u32 to) {
    const u32 from = heap_.index_at(slot.at), group = groups_[to];
    if (state_of(from) != Going::none && groups_[from] <= group) return;
    if (GARNER_UNLIKELY(++counts_[to] > kMostSlots || noted_ >= kMostSlotsInAll || !slots_[group].push(slot.at))) set(to, Going::stays);
    else noted_++;
  }
  bool candidate(const Region<M>& r) const { return r.role == Role::old && !r.kept && r.live_bytes != 0 && r.live_bytes * kSparse <= heap_.region_bytes(); }
  u32 groups_worth(u32 first, usize written_pages) const;
  void follow_finalizable();
  void settle();
  void join_slots();

  Heap<M>& heap_;
  H& host_;
  Spaces<M>& spaces_;
  Worker* workers_;
  u32 worker_count_;
  u64 at_once_, portion_bytes_ = 0; // of a group; of the last portion
  u32 root_batch_, ahead_;
  Vector<u8> going_;      // by region, a Going each; regions behind its end are none
  Vector<u32> counts_;    // by region: slots that refer into it
  Vector<u8> groups_;     // by region, of those that leave
  Vector<u32> leaving_;   // the emptiest, of the first group, last
  Vector<word> slots_[kPortions]; // by the group of what they refer to; changed by the thread, and in pauses
  usize noted_ = 0;       // in all of them
  u64 hole_bytes_ = 0;
  // -- of a pause --
  Vector<u32> portion_, old_, young_, kept_;  // kept_: of its groups, and stay; from update_tasks on also those that found no room
  u32 groups_end_ = 0;                        // of its groups
  Vector<List> lists_;
  Vector<Into> into_;
  Vector<Part> root_parts_;
  typename M::Lock lock_; // guards into_
  u32 slot_tasks_[kPortions] = {}, written_tasks_ = 0, young_tasks_ = 0, handle_tasks_[kHandleKinds] = {};
  typename M::template Atomic<u64> moved_; // relaxed: a statistic, published by the phase's end
};

} // namespace garner
