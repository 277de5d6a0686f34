// Heap: one reservation cut into regions, and the tables that lie beside it. Bytes, no algorithm.
//
// Address space: [base, base + bytes), reserved once, never remapped; growing and shrinking are changes of roles. All tables are
// indexed by (address - base) >> shift and reserved for the whole range at start. Heap and large tables are opened from the low end, in steps,
// before the first region above is taken; so what a debugger or a core finds accessible is near what is used. Formula of the
// virtual size: bytes * (1 + 1/64 marks + 1/32 targets + 1/1024 starts + 1/2048 cards + 1/4096 regions), and 1/4096 for node_lookup=cache.
// Homes: where pages come from is decided for slabs of kSlabRegions regions, once, when the first region of a slab is taken: a node (N20), all
// nodes in turn (N19), or whoever touches them first (N18). A region keeps its home through all its roles; a request names the
// home it wants, and free regions are kept apart by home. So every home can grow to the whole range while the budget counts (N22), nothing is
// bound anew when a space grows or shrinks, and the home of an address is one table entry. With one node there is one home.
// Who may do what when: taking and freeing regions is any-thread (one lock, once per region); cset, scan_top, ages and labels are
// written with the world stopped, except the label of a region just taken, which no object is in yet.
// Membership of a reference: an object at r lies in the region of r - 8, so that a one-past-the-end address, which equals the
// first byte of the next block, still belongs to the object before it.
#pragma once
#include "base/atomic.h"
#include "base/check.h"
#include "heap/budget.h"
#include "heap/marks.h"
#include "heap/page_nodes.h"
#include "heap/region.h"
#include "heap/written.h"
#include "seam/host.h"
#include "seam/watch.h"

namespace garner {

inline constexpr u32 kNoRegion = ~u32(0);

// A home: a node's number, or one of these.
inline constexpr u8 kHomeInterleaved = 0xfd, kHomeFirstTouch = 0xfe, kHomeNone = 0xff;
// First touch, of survivors and of old space: apart from eden's, so that what one thread touched first stays eden, as in the address ranges
// of the papers' baseline (N18), and does not wander into other spaces with each region that is freed.
inline constexpr u8 kHomeTouchedSurvivor = 0xfb, kHomeTouchedOld = 0xfc;
constexpr bool touched_first(u8 home) { return home == kHomeFirstTouch || home == kHomeTouchedSurvivor || home == kHomeTouchedOld; }
inline constexpr usize kHugePageBytes = 2 * MiB;
inline constexpr u32 kSlabRegions = 32, kMostNodes = 64;

struct HeapShape {
  usize reserve_bytes;  // rounded up to the region size
  usize least_bytes;    // halving of the reservation stops here
  usize region_bytes;
  u64 limit;            // 0: none
  bool poison;
  bool large_pages = false; // of reserve_bytes pages that the system has set aside; they are never given back
  usize huge_from = ~usize(0); // from this offset on, a multiple of 64 MiB, the system is asked for transparent huge pages
  bool notices = false; // say once that the system refuses a memory policy
  bool beside = false;  // old objects may be marked beside the program: there are tables for it
  bool hold = false;    // see Heap::hold
};

// Formats [at, at + bytes) as dead objects; provided by the host.
struct Filler {
  void (*fill)(void* host, word at, usize bytes);
  void* host;
  void operator()(word at, usize bytes) const { fill(host, at, bytes); }
};

template <class M> class Heap {
 public:
  using RegionT = Region<M>;
  template <class T> using Atomic = typename M::template Atomic<T>;

  // False when not even the least reservation is granted; the heap is unusable then.
  bool init(M& machine, const HeapShape& shape, Filler filler);

  // -- geometry --
  word base() const { return base_; }
  word end() const { return base_ + bytes_; }
  usize reserved() const { return bytes_; }
  usize region_bytes() const { return usize(1) << shift_; }
  u32 region_shift() const { return shift_; }
  u32 regions() const { return count_; }
  u32 high_water() const { return high_water_.load_relaxed(); } // regions at and above were never used
  // Only what is opened: no reference leads further.
  GARNER_INLINE bool contains(word value) const { return value - kHeadBytes - base_ < opened(); }
  GARNER_INLINE u32 index_of(Ref ref) const { return u32((ref.at - kHeadBytes - base_) >> shift_); }
  GARNER_INLINE u32 index_at(word at) const { return u32((at - base_) >> shift_); }
  GARNER_INLINE RegionT& region(u32 index) const { return table_[index]; }
  GARNER_INLINE RegionT& region_of(Ref ref) const { return table_[index_of(ref)]; }
  word begin_of(u32 index) const { return base_ + (word(index) << shift_); }
  word end_of(u32 index) const { return begin_of(index) + region_bytes(); }
  u32 head_of(u32 index) const { // the large run that a tail belongs to
    RegionT& r = table_[index];
    return r.role == Role::large_tail ? r.next : index;
  }

  // From now on the second table of marks counts (Budget::mark_twice), for which free regions give up their pages where that is needed. False where the limit has no room for it. With the world stopped.
  bool mark_twice();

  // -- labels: what the program's barrier reads --
  // Relaxed, like set_label: whoever holds a reference that counts has it from after its region was labelled; marking beside the program also asks for what is
  // just being taken, and may have either answer.
  GARNER_INLINE u8 label(u32 index) const { return __atomic_load_n(&labels_[index], __ATOMIC_RELAXED); }
  GARNER_INLINE u8 label_of(Ref ref) const { return label(index_of(ref)); }
  void set_label(u32 index, u8 label) { __atomic_store_n(&labels_[index], label, __ATOMIC_RELAXED); }
  u8* labels() const { return labels_; }

  // -- collection set: 0 = not collected, else 1 + destination class (evacuation) or 1 (moving, compaction) --
  GARNER_INLINE u8 cset(u32 index) const { return cset_[index]; }
  GARNER_INLINE u8 cset_of(word value) const { // 0 also for null and for addresses outside
    word offset = value - kHeadBytes - base_;
    return GARNER_LIKELY(offset < opened()) ? cset_[offset >> shift_] : 0;
  }
  void set_cset(u32 index, u8 value) { cset_[index] = value; }
  // What a loop over many references asks for, in one place that no store to memory makes it read again. Of the regions opened by now.
  struct Lookup {
    word first; // lowest address of a reference
    usize opened;
    u32 shift;
    const u8 *cset, *labels;
    GARNER_INLINE bool contains(Ref ref) const { return ref.at - first < opened; } // not of null
    GARNER_INLINE u32 index_of(Ref ref) const { return u32((ref.at - first) >> shift); }
    GARNER_INLINE u8 label(u32 index) const { return __atomic_load_n(&labels[index], __ATOMIC_RELAXED); } // as Heap::label
  };
  GARNER_INLINE Lookup lookup() const { return {base_ + kHeadBytes, opened(), shift_, cset_, labels_}; }

  // -- regions --
  // A region in its new role with top = base, or kNoRegion when the budget or the reservation is used up. The system brings its pages, or, where `later` is not null, the first `soon` bytes of
  // them: who took it brings the rest (bring) when others may use the region already.
  struct Unbrought {
    u32 index = kNoRegion;
    usize from = 0;
    u8 home = 0;
  };
  u32 take_region(Role role, u8 label, u8 age, u8 home = kHomeFirstTouch, Reach reach = Reach::ordinary, Unbrought* later = nullptr, usize soon = 0);
  void bring(const Unbrought& rest) {
    if (rest.index != kNoRegion) bring_small(rest.index, rest.from, region_bytes(), rest.home);
  }
  // A run for one object of `bytes`, labelled old, with top behind the object; kNoRegion likewise. `zero`: hand it out cleared.
  u32 take_large(usize bytes, bool zero, bool pinned, u8 home = kHomeFirstTouch, Reach reach = Reach::ordinary);
  void free_region(u32 index) { Freeing(*this).release(index); } // of any role; a large run by its head
  // Many at once, under one lock. While one lives the world stands and nobody takes or frees regions otherwise: the lock does not nest.
  class Freeing {
   public:
    explicit Freeing(Heap& heap) : heap_(heap), guard_(heap.lock_) {}
    void release(u32 index) { heap_.free_locked(index); }

   private:
    Heap& heap_;
    Locked<typename M::Lock> guard_;
  };
  // Drops the pages of about `bytes` of a node's free regions and binds the ranges anew, a system call each: what N21's resizing costs.
  void rebind(usize bytes, u8 node);
  // Gives back free regions' pages, and those behind large objects, until at most `keep` bytes of them remain charged. A little at a time, so that a program that runs gets its
  // regions meanwhile. With `tables` the pages of marks and targets of all free regions go too, which whoever grows again has to bring again.
  void trim(usize keep, bool tables = false) {
    for (u32 from = high_water(); from > 0;) from = trim_some(keep, from, tables);
  }
  u32 trim_some(usize keep, u32 from, bool tables); // of the regions below `from`, the highest first; returns below which one to go on, 0 when that is all
  usize free_charged() const { return free_charged_.load_relaxed(); }
  // While no more than `bytes` of free memory have been written to before, eden takes memory that has not, if the budget has room for twice as much: what the system must bring first is brought while the
  // program runs, not to copies while it stands. With the world stopped; no effect where the shape does not ask for it.
  void hold(u64 bytes) { held_ = shape_.hold ? bytes : 0; }
  // The home of a region; kHomeNone for one never taken.
  u8 home(u32 index) const { return homes_[index / kSlabRegions]; }
  // The node that an address's page comes from, as far as the policy decides: kHomeFirstTouch when whoever touched it first did.
  u8 node_at(word at) const {
    u8 h = home(index_at(at));
    return h == kHomeInterleaved ? u8(machine_->interleaved_node(at)) : touched_first(h) ? kHomeFirstTouch : h;
  }
  // The node of a page, asked for where the address does not tell; kNoNode when nobody knows. page_nodes() must have been started.
  u8 node_of(word at, u64& asked) {
    u8 h = node_at(at);
    return nodes_ == 1 ? u8(0) : h < kMostNodes ? h : page_nodes_.node(at, asked);
  }
  u32 nodes() const { return nodes_; }
  // Started by whoever wants to ask it (T5); false: no address space.
  PageNodes<M>& page_nodes() { return page_nodes_; }
  bool start_page_nodes() { return page_nodes_.start(*machine_, base_, bytes_); }
  // For lists of the collector's own that grow by `bytes`, for which free regions give up their pages; false: there is no room. Charged until lent() tells that they count as lists do. Any-thread.
  bool lend(usize bytes, Reach reach);
  void lent(usize bytes) { budget_.give(bytes); }
  Budget<M>& budget() { return budget_; }
  const Budget<M>& budget() const { return budget_; }
  void fill(word at, usize bytes) const {
    if (bytes != 0) filler_(at, bytes);
  }
  M& machine() const { return *machine_; }
  bool poison() const { return shape_.poison; }

  // Calls fn(index, region) for every region in use, ascending; tails are skipped.
  template <class F> void each_region(F fn) const {
    walk([](u32, u32) {}, fn);
  }
  // The same, by a collector's thread: an entry that another processor wrote last is asked for some entries ahead. In a large heap that is most of what one
  // worker does alone.
  template <class Self, class F> void each_region(Self& self, F fn) const {
    walk([&](u32 i, u32 n) { if (i + kEntriesAhead < n) self.touch(word(&table_[i + kEntriesAhead])); }, fn);
  }

  // -- cards --
  u8* cards() const { return cards_; }
  u8* bundles() const { return bundles_; }
  GARNER_INLINE u8* card_of(word at) const { return &cards_[(at - base_) >> kCardShift]; }
  GARNER_INLINE u8* bundle_of(word at) const { return &bundles_[(at - base_) >> kBundleShift]; }
  GARNER_INLINE void mark_card(word at) { // by collectors; racing writers store the same value
    u8* card = card_of(at);
    if (__atomic_load_n(&touches<M>(*card), __ATOMIC_RELAXED) != kCardDirty) __atomic_store_n(&sets<M>(*card), kCardDirty, __ATOMIC_RELAXED);
    u8* bundle = bundle_of(at);
    if (__atomic_load_n(&touches<M>(*bundle), __ATOMIC_RELAXED) != kCardDirty) __atomic_store_n(&sets<M>(*bundle), kCardDirty, __ATOMIC_RELAXED);
  }
  void clear_cards(word begin, word end) { memset(card_of(begin), 0, ((end - begin) + kCardBytes - 1) >> kCardShift); }
  void clear_cards() { // all of them; world stopped, by one thread
    const u32 high = high_water();
    for (u32 i = 0; i < high; i++)
      if (*bundle_of(begin_of(i)) != 0) clear_cards(begin_of(i), end_of(i));
    memset(bundles_, 0, div_up(usize(high) * region_bytes(), usize(1) << kBundleShift));
  }

  // -- object starts, built when asked (heap/starts.h) --
  u16* starts_of(u32 index) const { return starts_ + (usize(index) << (shift_ - kCardShift)); }

  Marks<M>& marks() { return marks_; }
  Targets& targets() { return targets_; }
  // The pages of them for regions [from, to) that objects are in, which markers would read before they write to them: such a page is first everybody's page of zeros, then
  // replaced, and every processor that runs the program is interrupted for that. World stopped; by several workers, each with regions of its own.
  static constexpr bool brings = requires(M& machine, word at, usize bytes) { machine.bring(at, bytes); };
  void bring_marks(u32 from, u32 to);

  // -- marking beside the program (collect/concurrent/marking.h) --
  Marks<M>& old_marks() { return old_marks_; }
  WrittenPages<M>& written() { return written_; }
  // Changes while the world stands. Then on whatever becomes old is born marked, so that nobody need find it.
  void set_marking(bool on) { marking_ = on; }
  GARNER_INLINE bool marking() const { return marking_; }
  // An object of the program that has just been placed in old space, and whose type word is still 0: from here on pages with it may be read. Any thread of the program.
  void born_old(word block, usize bytes) {
    if (GARNER_LIKELY(!marking_) || mutated<M>(Trap::born_white)) return;
    old_marks_.publish(block);
    if (region(index_at(block)).role != Role::large) old_marks_.extend(block, bytes);
  }
  // One that a collection has put or left there: what it refers to is looked at as if the program had just written it.
  GARNER_COLD void grown_old(word block, usize bytes) {
    if (mutated<M>(Trap::born_white)) return;
    old_marks_.mark(block, bytes);
    written_.note(block, bytes);
  }

 private:
  u8 settle(u8 home) const { return nodes_ == 1 ? kHomeFirstTouch : home; }
  u32 list_of(u8 home) const { return home < kMostNodes ? home : kMostNodes + home - kHomeTouchedSurvivor; }
  // Relaxed: whoever holds a reference into a region has it from somebody who opened it before.
  GARNER_INLINE usize opened() const { return __atomic_load_n(&opened_, __ATOMIC_RELAXED); }
  bool open_through(u32 last);
  bool open_to(usize to); // bytes of the heap
  void ask_huge(word at, usize bytes, bool huge);
  // A region just taken. What of its pages is not there is to come when lock_ is free: as small ones, or as a huge one, whose first touch is timed.
  struct Taken {
    u32 index = kNoRegion;
    usize there = 0; // bytes from its start that were charged before
    bool huge = false;
  };
  Taken take_locked(Role role, u8 label, u8 age, u8 home, Reach reach, bool here);
  GARNER_COLD Taken take_elsewhere(Role role, u8 label, u8 age, u8 home, Reach reach);
  // fn(home) for each other one that a slab may have, until it says that it will do.
  template <class F> void each_other_home(u8 home, F fn) const {
    for (u32 list = 0; list < kLists; list++)
      if (const u8 other = u8(list < kMostNodes ? list : list - kMostNodes + kHomeTouchedSurvivor); other != home && (list < nodes_ || list >= kMostNodes) && fn(other)) return;
  }
  void bring_small(u32 index, usize from, usize to, u8 home); // bytes of the region
  bool take_huge(u32 index);
  void judge_huge(word at);
  bool unused(u32 index) const { return begin_of(index) - base_ >= opened_ || (table_[index].role == Role::free && table_[index].charged == 0); }
  bool is_free(u32 index) const { return begin_of(index) - base_ >= opened_ || table_[index].role == Role::free; }
  bool claim(u32 slab, u8 home);
  u32 find_fresh(u8 home);
  Taken take_warm(Vector<u32>& list, Role role, u8 label, u8 age);
  bool holds(Role role, u8 home) const;
  // Both each_region; ahead(i, n) before entry i of n is looked at.
  template <class Ahead, class F> GARNER_INLINE void walk(Ahead ahead, F& fn) const {
    for (u32 i = 0, n = high_water(); i < n; i += table_[i].role == Role::large ? table_[i].run : 1) {
      ahead(i, n);
      if (table_[i].role != Role::free && table_[i].role != Role::large_tail) fn(i, table_[i]);
    }
  }
  usize beyond(u32 head) const; // bytes of a large run that are charged and not the object's
  void drop_beyond(u32 head);
  bool find_beyond();
  bool drop_one(u32 first, u32 regions);
  u32 find_run(u32 regions, usize last, u8 home, u32 end);
  template <class F> bool give_way(u32 first, u32 regions, F granted);
  bool find_budget(usize bytes, u32 first, u32 regions, Reach reach);
  void enter(u32 index, Role role, u8 label, u8 age);
  void drop_pages(u32 index, u32 regions = 1);
  void drop_tables(u32 index, u32 regions);
  void free_locked(u32 index); // lock_ held
  void list_warm(u32 index);
  u32 pop_warm(Vector<u32>& list);

  M* machine_ = nullptr;
  HeapShape shape_{};
  Filler filler_{};
  word base_ = 0;
  usize bytes_ = 0;
  usize opened_ = 0; // bytes of the heap that may be touched, with their parts of the tables; grows under lock_
  u32 shift_ = 0, count_ = 0;
  RegionT* table_ = nullptr;
  u32 nodes_ = 1;
  bool refused_ = false; // the system did not apply a policy: pages lie where they were first touched
  u8* homes_ = nullptr; // by slab
  u8 *labels_ = nullptr, *cset_ = nullptr, *cards_ = nullptr, *bundles_ = nullptr;
  u16* starts_ = nullptr;
  Marks<M> marks_, old_marks_;
  Targets targets_;
  WrittenPages<M> written_;
  bool marking_ = false;
  PageNodes<M> page_nodes_;
  Budget<M> budget_;
  typename M::Lock lock_;         // guards roles of free regions, their lists, the cursor and high_water_
  static constexpr usize kOpenedAtOnce = 64 * MiB; // whose targets fill a huge page, and whose marks half of one: so marks seldom get one
  static constexpr usize kTrimmedAtOnce = 2 * MiB, kTrimmedOf = 64 * MiB; // under one lock: so much goes, or so much of the heap is looked at
  static constexpr usize kTouchedSingly = 1 * MiB; // pages below come as they are touched
  static constexpr usize kClearedByHand = 32 * MiB;
  static constexpr u64 kSlowHugeNs = 1'000'000; // what a huge page's worth of small ones takes, or more
  static constexpr u32 kSlowHuge = 4; // see judge_huge
  static constexpr u32 kEntriesAhead = 8; // see each_region
  static constexpr u32 kRunsCompared = 1024; // regions looked at beyond the first run that would do
  static constexpr usize kNearMatch = 16;    // the part of a run's last region whose pages are no reason to look on
  static constexpr u32 kLists = kMostNodes + 4;
  static constexpr usize kSpareBytes = 8 * MiB; // of the system's memory, for lists, where its limit is near
  Vector<u32> warm_[kLists];      // by home: free regions whose pages are charged; may hold stale entries
  Vector<u32> untouched_[kLists]; // those that nobody had written to when they were listed
  Vector<u32> partial_[kLists];   // those of which a part is charged, the last ones of large objects: for such again, and for others where nothing else is free
  bool huge_asked_ = false;
  u32 huge_slow_ = 0; // at kSlowHuge no more are asked for: each that takes long adds half of that, each other takes one away
  usize huge_marks_ = 0;               // up to which offset huge pages were asked for the marks
  usize untouched_bytes_ = 0, held_ = 0; // charge of the free regions that are untouched now; see hold
  u32 cursor_[kLists] = {};       // by home: no free uncharged region of it below
  u32 first_free_ = 0;            // no free region below
  Atomic<u32> high_water_;        // relaxed: grows under lock_, read by walks of a stopped world
  Atomic<usize> free_charged_;    // relaxed: equals the charge of all free regions and of what large runs have beyond their objects
};

} // namespace garner
