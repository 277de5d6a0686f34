// What workers share of the heap as pieces (N2, N13): ranges carved from a space, starts of objects, marks, the budget.
#pragma once
#include "heap/heap.ipp"
#include "heap/space.h"
#include "heap/starts.h"
#include "piece.h"

namespace garner::pieces {

// The simulated machine as a small heap asks for it, with memory that stays: mapping a heap takes a hundred times as long as a schedule of these cases.
class Plot {
 public:
  using Self = Sim::Self;
  using Lock = Sim::Lock;
  template <class T> using Atomic = Sim::Atomic<T>;

  explicit Plot(Sim& sim) : sim_(sim) {}
  word reserve(usize bytes, usize alignment) { // the heap's own bytes first, which nobody asks to be zero; then the tables
    const bool heap = next_ == 0;
    const word at = align_up(heap ? memory() : next_, alignment);
    next_ = at + bytes;
    GARNER_CHECK(next_ <= memory() + kBytes, "the plot is too small for this heap");
    if (!heap) memset(reinterpret_cast<void*>(at), 0, bytes);
    return at;
  }
  word reserve_large(usize) { return 0; }
  void release(word, usize) {}
  bool open(word, usize) { return true; }
  void discard(word, usize) {}
  Placed bind(word, usize, u32) { return Placed::one_node; }
  Placed interleave(word, usize) { return Placed::one_node; }
  u32 nodes() const { return 1; }
  u32 interleaved_node(word) const { return 0; }
  void ask_nodes(const word*, u32, u8*) {}
  u64 now() const { return 0; } // no space here is told that less will do from a time on
  void relax(u32 turns) { sim_.relax(turns); }
  static void saw(Access access, const volatile void* at, usize bytes, Where where) { Sim::saw(access, at, bytes, where); }
  static bool mutated(Trap trap) { return Sim::mutated(trap); }

 private:
  static constexpr usize kBytes = 4 * MiB;
  static word memory() {
    static void* const at = aligned_alloc(2 * MiB, kBytes);
    return word(at);
  }
  Sim& sim_;
  word next_ = 0;
};

struct PlotHeap {
  static constexpr usize kRegion = 64 * KiB;
  explicit PlotHeap(Sim& sim) : plot(sim) {
    good = heap.init(plot, {2 * MiB, 2 * MiB, kRegion, 0, false, false}, {[](void*, word, usize) {}, nullptr});
  }
  Plot plot;
  Heap<Plot> heap;
  bool good;
};

// N2: a range is one worker's alone, and what is said of a region is there for whoever carves from it, whoever made the region current.
// Two requests fill a region, so that most of them meet in fetch().
struct SpaceHandsOut : PlotHeap {
  static constexpr usize kWant = 24 * KiB;
  static constexpr u32 kTakes = 2, kWorkers = 3;
  explicit SpaceHandsOut(Sim& s) : PlotHeap(s), sim(s) {
    space.init(heap, Role::eden, kLabelEden, 0);
    launch<SpaceHandsOut, &SpaceHandsOut::work, 0>(sim, this);
    launch<SpaceHandsOut, &SpaceHandsOut::work, 1>(sim, this);
    launch<SpaceHandsOut, &SpaceHandsOut::work, 2>(sim, this);
  }
  void work(Sim::Self& self) {
    for (u32 i = 0; i < kTakes; i++) {
      Range& range = taken[self.index * kTakes + i];
      range = space.take(kWant, kWant);
      if (range.begin != 0) writes<Sim>(*reinterpret_cast<u64*>(range.begin)) = self.index;
      good = good && range.bytes() == kWant && range.zeroed && heap.region(heap.index_at(range.begin)).role == Role::eden;
    }
  }
  bool ok() {
    for (const Range& a : taken)
      for (const Range& b : taken) good = good && (&a == &b || a.end <= b.begin || b.end <= a.begin);
    return good && space.used() == kTakes * kWorkers * kWant;
  }
  Sim& sim;
  Space<Plot> space;
  Range taken[kTakes * kWorkers];
};

// N2: several look for objects in one buffer, of which only the begin is entered, and enter what they have walked over.
struct StartsGrow : PlotHeap {
  static constexpr usize kObject = 2 * kCardBytes;
  struct Objects {
    static usize size(Ref) { return kObject; }
    static bool filler(Ref) { return false; }
  };
  explicit StartsGrow(Sim& s) : PlotHeap(s), sim(s) {
    const u32 index = heap.take_region(Role::old, kLabelOld, 0);
    begin = heap.begin_of(index);
    heap.region(index).top.store_relaxed(begin + 3 * kObject);
    note_start(heap, index, begin, begin + 3 * kObject);
    launch<StartsGrow, &StartsGrow::work, 0>(sim, this);
    launch<StartsGrow, &StartsGrow::work, 1>(sim, this);
    launch<StartsGrow, &StartsGrow::work, 2>(sim, this);
  }
  void work(Sim::Self& self) {
    const word block = begin + self.index * kObject;
    good = good && object_containing(heap, objects, block + kObject / 2).at == ref_of(block).at;
  }
  bool ok() { return good; }
  Sim& sim;
  Objects objects;
  word begin;
};

// N13: of those who mark an object one is told that it was the first, whether the object's bits lie in one word or in two; its size can be read from them.
struct MarkHasOneWinner {
  static constexpr word kBase = 1 << 20;
  static constexpr word kAt[2] = {kBase, kBase + kMarkBlockBytes - 4 * kWordBytes};
  static constexpr usize kSizes[2] = {6 * kWordBytes, 10 * kWordBytes};
  explicit MarkHasOneWinner(Sim& s) : sim(s) {
    marks.attach(entries, kBase);
    launch<MarkHasOneWinner, &MarkHasOneWinner::work, 0>(sim, this);
    launch<MarkHasOneWinner, &MarkHasOneWinner::work, 1>(sim, this);
    launch<MarkHasOneWinner, &MarkHasOneWinner::work, 2>(sim, this);
  }
  void work(Sim::Self& self) {
    for (u32 i = 0; i < 2; i++) {
      const u32 which = (i + self.index) % 2;
      if (marks.mark(kAt[which], kSizes[which])) own(cells[which]);
    }
  }
  bool ok() {
    bool good = true;
    for (u32 i = 0; i < 2; i++) good = good && cells[i].value == 1 && marks.size_at(kAt[i], kBase + 2 * kMarkBlockBytes) == kSizes[i];
    return good;
  }
  Sim& sim;
  MarkWord<Sim> entries[2] = {};
  Marks<Sim> marks;
  Cell cells[2];
};

// What is granted never passes the limit, not for a moment, and what is given back can be had again.
struct BudgetHolds {
  static constexpr u64 kPiece = 32 * KiB, kMost = 2;
  explicit BudgetHolds(Sim& s) : sim(s) {
    budget.set_limit(budget.committed() + budget.with_tables(kMost * kPiece));
    launch<BudgetHolds, &BudgetHolds::work, 0>(sim, this);
    launch<BudgetHolds, &BudgetHolds::work, 1>(sim, this);
    launch<BudgetHolds, &BudgetHolds::work, 2>(sim, this);
  }
  void work(Sim::Self&) {
    if (!budget.take(kPiece)) return;
    granted++; // plain: fibers switch at visible operations only
    good = good && budget.committed() <= budget.limit() && granted <= kMost;
    granted--;
    budget.give(kPiece);
    served++;
  }
  bool ok() { return good && served >= kMost && budget.charged() == 0; }
  Sim& sim;
  Budget<Sim> budget;
  u64 granted = 0, served = 0;
  bool good = true;
};

} // namespace garner::pieces
