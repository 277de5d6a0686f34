// Compaction: the full collection. Parallel marking, then parallel sliding of what is left (N13).
//
// What happens, in order (cycle/cycle.ipp calls it; "workers" marks what runs on the gang):
//   begin     sequential: spaces are left, all marks are clear
//   gather    workers: roots and pins into RootBuffers
//   mark      workers: roots, pins, strong handles, then the closure; one bit run per object (heap/marks.h); what waits in great numbers waits by place (collect/by_place.h)
//   (weak things: cycle/weak.ipp, on keep() and alive())
//   measure   workers: live bytes of every region, from the bits alone
//   choose    sequential: what is freed, what stays (large, pinned, dense), what slides; sliding regions are cut into lists
//   plan      workers, a list each: the target of every 512-byte block, in the list's own regions or (collect.compact_into=fresh) in free ones as long as the budget grants them
//   slide     workers: a list each, objects move and their slots are rewritten in one pass; roots, handles and what stays likewise. Where moving would bring little: the dead are filled
//   finish    sequential: tops, roles, labels; empty regions are freed
//   clean     workers: marks are cleared
//
// Invariants:
//  - Within a list objects keep their order and move towards the list's start, so a list needs nobody else to move safely. Those that go into fresh regions are the list's first: what slides
//    behind them goes to where they were, or where nobody was.
//  - Nothing that slides is read through a forwarding word: new addresses come from marks alone, before, during and after the move.
//  - All objects that start in one 512-byte block go to one region; so one target per block suffices.
//  - Cards are made anew: exactly the slots whose object is younger than their region. Where nothing moves they stay as they are, and so does who is younger than whom; or nothing is young any more, and they are clean.
// Deviation from the paper: lists of regions instead of one sliding space, large objects and regions with pins stay in place.
#pragma once
#include "collect/evacuate/evacuation.h"
#include "heap/starts.h"

namespace garner {

// Kinds of handles that marking starts from. Counted ones are asked for.
inline constexpr HandleKind kMarkedKinds[] = {HandleKind::strong, HandleKind::pinned, HandleKind::sized,
                                              HandleKind::async_pinned, HandleKind::variable, HandleKind::cross_reference};
inline constexpr u32 kMarkedKindCount = sizeof(kMarkedKinds) / sizeof(kMarkedKinds[0]);

template <class H, class M> class Compaction {
 public:
  using Self = typename M::Self;
  using Worker = Collecting<M>;
  using Lookup = typename Heap<M>::Lookup;

  Compaction(Heap<M>& heap, H& host, Gang<M>& gang, Spaces<M>& spaces, Worker* workers, u32 worker_count, const Settings& settings)
      : heap_(heap), host_(host), gang_(gang), spaces_(spaces), workers_(workers), worker_count_(worker_count),
        dense_percent_(u32(settings.get(Opt::compact_dense))), many_slots_(u64(settings.get(Opt::in_place))), all_old_(settings.as<Promotes>(Opt::full_promotes) == Promotes::all),
        into_fresh_(settings.as<CompactInto>(Opt::compact_into) == CompactInto::fresh),
        root_batch_(u32(settings.get(Opt::root_batch))), ahead_(u32(settings.get(Opt::ahead))),
        by_place_from_(settings.on(Opt::by_place) ? u32(settings.get(Opt::queue_capacity)) / 4 : ~u32(0)) {}

  void begin();
  void gather_task(Self& self, Kind kind);
  u32 bring_tasks() const { return Heap<M>::brings ? u32(div_up(heap_.high_water(), kRegionsBrought)) : 0; }
  void bring_task(u32 task) { heap_.bring_marks(task * kRegionsBrought, min_of(heap_.high_water(), (task + 1) * kRegionsBrought)); }
  u32 mark_tasks();
  void mark_task(Self& self, u32 task);
  void drain(Self& self);
  void take(Self& self, u64 entry);

  u32 measure_tasks() const { return u32(div_up(heap_.high_water(), kRegionsPerTask)); }
  void measure_task(Self& self, u32 task);
  void choose(u32 lists_wanted, bool everything, bool may_stay);
  u32 plan_tasks() const { return u32(lists_.size()); }
  void plan_task(Self& self, u32 task);
  u32 slide_tasks();
  void slide_task(Self& self, u32 task);
  void finish();
  void free_dead(); // after clean: freed regions' marks must be clear first
  void trim(bool all) { // the program may run; under the collection lock
    for (u32 i = 0; i < worker_count_; i++) workers_[i].by_place.trim(all ? 0 : kKeptWaiting / worker_count_);
    recent_pins_.note(pins_.size());
    pins_.ease(recent_pins_.fade(), Worker::kKeptEntries);
  }
  u32 clean_tasks() const { return measure_tasks(); }
  void clean_task(u32 task);

  // -- for weak things --
  Worker* workers() const { return workers_; }
  u32 worker_count() const { return worker_count_; }
  static constexpr bool moves_now = false; // slots are rewritten by the slide phase, not when weak things are cleared
  bool alive(Ref ref) const {
    if (!heap_.contains(ref.at)) return true;
    auto& r = heap_.region_of(ref);
    return r.role == Role::large ? r.marked.load_relaxed() != 0 : heap_.marks().is_marked(block_of(ref));
  }
  void expect(Ref ref) const { // what alive() and now_at() will look at is asked for
    if (heap_.contains(ref.at)) __builtin_prefetch(&heap_.marks().entry_of(block_of(ref)));
  }
  Ref keep(Self& self, Ref ref) {
    if (heap_.contains(ref.at)) mark(self, ref);
    return ref;
  }
  void keep_in(Self& self, Ref& place) { keep(self, place); }
  void keep_second(Self& self, word*, Ref ref) { keep(self, ref); }
  Ref now_at(Ref ref) const { // valid from the plan on
    if (!heap_.contains(ref.at) || (heap_.cset_of(ref.at) & kMoving) == 0) return ref;
    return ref_of(heap_.targets().target_of(block_of(ref)));
  }
  Ref now_at_if_moved(Ref ref) const { return ref; } // the slide phase rewrites slots
  u32 generation_now(Ref ref) const { return heap_.contains(ref.at) ? u32(heap_.cset_of(ref.at) >> 1) : 2; }
  u32 condemned() const { return 2; }
  bool condemned_at_start(Ref ref) const { return heap_.contains(ref.at); }
  u64 pinned_count() const { return pinned_count_; }
  bool in_place() const { return in_place_; }       // nothing moved
  u64 eden_lived() const { return eden_lived_; }    // then: bytes of eden that live
  u64 moved_bytes() const { return moved_bytes_.load_relaxed(); }

 private:
  // cset while marking: whether the region holds a large object. From choose() on: bit 0 moving, bits 1.. the generation that the region's objects end in.
  static constexpr u8 kLarge = 0x80;
  static constexpr u8 kMoving = 1;
  static constexpr u32 kRegionsPerTask = 16, kStayingPerTask = 4, kPinsPerTask = 256, kChunksPerTask = 8, kRegionsBrought = 32;
  static constexpr usize kLargeScanBytes = 1 << 20;
  static constexpr usize kWaitingShare = 8, kKeptWaiting = MiB; // the part of the heap that what waits by place may take, half of it used; what workers keep of that together
  // Queue entries: an object, or (bit 0) a part of a large one: 48 bits of address, 16 bits of part number.
  static constexpr u64 kPart = 1;
  static constexpr u32 kPartShift = 48;
  static constexpr usize kPartBytes = 128 * KiB;
  static constexpr usize kFarOverflow = usize(1) << 22; // entries of 8 bytes beyond a worker's queue
  // Of an object of so many bytes; larger ones where there would be more than 16 bits count.
  static constexpr usize part_bytes(usize bytes) { return max_of(kPartBytes, align_up(div_up(bytes, usize(1) << (64 - kPartShift)), kWordBytes)); }
  static_assert(div_up(usize(16) * GiB + 24, part_bytes(usize(16) * GiB + 24)) <= 65536 && part_bytes(8 * GiB) == kPartBytes);

  class Places;
  struct List { u32 first, last; u8 generation; };   // range of moving_
  // Of a list's k-th, too: the k-th fresh region that its objects go into. There are never more of them than of its own.
  struct Moving { u32 region; word new_top; u32 fresh = kNoRegion; word fresh_top = 0; };
  struct LargePart { u32 region; u32 part; };
  struct Part { u32 worker, first; };

  void mark(Self& self, Ref ref);
  void mark_new(Self& self, Ref ref);
  void mark_large(Self& self, Ref ref);
  void enqueue(Self& self, Ref ref);
  void mark_later(Self& self, Worker& w, Ref ref);
  usize count(Worker& w, Ref ref);
  void open(Self& self, Worker& w, Ref ref);
  void visit(Self& self, Worker& w, Slot slot);
  void follow_edge(Self& self, Ref ref);
  void update(Self& self, Worker& w, const Lookup& heap, Slot slot, u32 holder_generation);
  void update_object(Self& self, Worker& w, const Lookup& heap, Ref ref, u32 holder_generation);
  void rewrite(Self& self, Slot slot);
  void rewrite_rest(Self& self, Worker& w);
  void slide_list(Self& self, List& list);
  void sweep_staying(Self& self, u32 index);
  void cut_lists(usize from, u32 lists_wanted, u8 generation);
  // A region that pins keep although more than a quarter of it is empty: it goes back to eden, whose buffers are cut from its holes. Otherwise scattered
  // pins could hold all memory while nothing can be allocated. Few such regions are left as they are, so that small programs see
  // their pinned objects grow old as usual, and a large heap is not moved for what is little of it.
  static constexpr usize kDemoteFrom = 4 * MiB;
  static constexpr u64 kDemoteShare = 64;
  bool sparse(const Region<M>& r) const {
    return r.kept && (r.role == Role::eden || r.role == Role::survivor || r.role == Role::old) && r.live_bytes < heap_.region_bytes() / 4 * 3;
  }
  usize sparse_bytes() const;
  static constexpr u64 kLittle = 8;           // times what would be gained: the room that makes it little
  static constexpr u64 kSlotsPerObject = 8;   // that an object costs as much as
  bool little_to_gain() const;
  void judge_young();
  void settle(u32 index, word top, u8 generation);
  void settle_moved(u32 index, word top, u8 generation);
  static Role role_of(u8 generation) { return generation == 0 ? Role::eden : generation == 1 ? Role::survivor : Role::old; }
  static u8 label_of(u8 generation) { return generation == 0 ? kLabelEden : generation == 1 ? kLabelSurvivor : kLabelOld; }
  usize spill_after(word block, word region_end) const;

  Heap<M>& heap_;
  H& host_;
  Gang<M>& gang_;
  Spaces<M>& spaces_;
  Worker* workers_;
  u32 worker_count_;
  u32 dense_percent_;
  u64 many_slots_; // from which on nothing moves where that would bring little; fewer are soon rewritten
  bool all_old_, into_fresh_;
  bool in_place_ = false, young_ages_ = false; // chosen: nothing moves; and all that is young becomes old
  u64 eden_lived_ = 0;
  u32 root_batch_, ahead_, by_place_from_;
  u64 pinned_count_ = 0;
  Vector<Part> root_parts_;
  Vector<Ref> pins_;
  Recent recent_pins_;
  Vector<Moving> moving_;
  Vector<List> lists_;
  Vector<u32> staying_, dead_;
  Vector<LargePart> large_;
  u32 pin_tasks_ = 0, strong_tasks_[kHandleKinds] = {}, handle_tasks_[kHandleKinds] = {};
  typename M::template Atomic<u64> moved_bytes_; // relaxed: a statistic, published by the phase's end
};

} // namespace garner
