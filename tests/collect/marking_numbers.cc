// A marking beside the program is one collection to whoever counts: it has one number, a record of its own, and an end, also when a full collection takes its place; and the
// last pause can be asked for by itself.
#include "small_heap.h"

namespace garner::test {
namespace {

struct Marked {
  Marked() : heap(machine, "marking=concurrent") {
    for (u32 i = 0; i < 200; i++) heap.root(heap.node(2, 200));
    heap.young();
    heap.young(); // old from here on
  }
  Collector& cycle() { return *heap.host.cycle; }
  bool collect(bool begin, Cause cause = Cause::induced) {
    Request request;
    request.kind = Kind::young1;
    request.cause = cause;
    request.may_widen = false;
    request.begin_marking = begin;
    const u64 before = cycle().count();
    heap.mutator.collect(heap.self, request);
    return cycle().count() != before;
  }
  void wait() { heap.rested(Awaits::last_pause); }
  Linux machine;
  SmallHeapOn<Linux> heap;
};

TEST(MarkingNumbers, N4OneCollectionFromItsFirstPauseToItsLast) {
  Marked m;
  const u64 before = m.cycle().last_any().number, old = m.cycle().count_of(2), all = m.cycle().count_of(0);
  EXPECT_EQ(m.cycle().last_beside().end.index, 0u);
  m.collect(true);
  EXPECT_EQ(m.cycle().last_any().number, before + 2) << "the young collection of the first pause comes after what it begins";
  m.collect(false);
  EXPECT_EQ(m.cycle().last_any().number, before + 3);
  EXPECT_EQ(m.cycle().count_of(2), old);
  m.wait();
  EXPECT_TRUE(m.collect(false, Cause::marked));
  CycleRecord beside = m.cycle().last_beside();
  EXPECT_EQ(beside.number, before + 1);
  EXPECT_EQ(m.cycle().last_any().number, before + 1);
  EXPECT_TRUE(beside.beside);
  EXPECT_GT(beside.first_pause_ns, 0u);
  EXPECT_NE(m.cycle().last(Kind::full).number, before + 1) << "it did not stop the program for all of it";
  EXPECT_EQ(m.cycle().count_of(2), old + 1);
  EXPECT_EQ(m.cycle().count_of(0), all + 3) << "as many as there are numbers";
  m.collect(false);
  EXPECT_EQ(m.cycle().last_any().number, before + 4);
}

TEST(MarkingNumbers, N4OneThatAFullCollectionTakesThePlaceOfHasHadItsNumber) {
  Marked m;
  const u64 before = m.cycle().last_any().number, old = m.cycle().count_of(2);
  m.collect(true);
  m.heap.full();
  EXPECT_EQ(m.cycle().last(Kind::full).number, before + 3);
  EXPECT_EQ(m.cycle().last_beside().end.index, 0u);
  EXPECT_EQ(m.cycle().count_of(2), old + 2);
  m.collect(true);
  EXPECT_EQ(m.cycle().last_any().number, before + 5);
  m.wait();
  m.collect(false, Cause::marked);
  EXPECT_EQ(m.cycle().last_beside().number, before + 4);
}

TEST(MarkingNumbers, N4WhereThereIsNothingToEndNothingStops) {
  Marked m;
  EXPECT_FALSE(m.collect(false, Cause::marked)) << "none has begun";
  m.collect(true);
  m.wait();
  EXPECT_TRUE(m.collect(false, Cause::marked));
  EXPECT_FALSE(m.collect(false, Cause::marked)) << "it has ended";
}

// Cards of old space whose entry is not the object that covers their first byte.
u32 off(SmallHeapOn<Linux>& heap) {
  heap.swept();
  u32 count = 0, cards = 0;
  heap.heap().each_region([&](u32 index, auto& r) {
    if (r.role != Role::old) return;
    word block = heap.heap().begin_of(index);
    for (word card = block; card < r.top.load_relaxed(); card += kCardBytes, cards++) {
      for (word next; (next = block + heap.host.size(ref_of(block))) <= card;) block = next;
      count += start_before(heap.heap(), index, card) != block;
    }
  });
  EXPECT_GE(cards, 15u);
  return count;
}

// N4: who looks at a card after a marking begins at the object that covers it, and walks over nothing.
TEST(MarkingNumbers, N4WhatIsMarkedIsFoundFromItsCards) {
  Marked m;
  EXPECT_GE(off(m.heap), 10u) << "known before: the test is void";
  m.collect(true);
  m.wait();
  EXPECT_TRUE(m.collect(false, Cause::marked));
  EXPECT_EQ(off(m.heap), 0u);
}

// N4: and so is what becomes old en masse while old space is marked, as it is marked then.
TEST(MarkingNumbers, N4WhatBecomesOldMeanwhileIsFoundFromItsCards) {
  SyntheticShape shape = SmallHeap::roomy();
  shape.eden = shape.eden_min = shape.eden_max = 512 * KiB;
  for (bool marking : {false, true}) {
    Linux machine;
    SmallHeapOn<Linux> heap(machine, std::string("en_masse=mostly,resize=fixed,marking=") + (marking ? "concurrent" : "stopped"), shape);
    for (u32 i = 0; i < 200; i++) heap.root(heap.node(2, 200));
    heap.young();
    heap.young();
    Request request;
    request.kind = Kind::young1;
    request.cause = Cause::induced;
    request.may_widen = false;
    request.begin_marking = marking;
    u32 before = off(heap), unseen = 0;
    for (u64 seen = heap.host.cycle->count(); unseen == 0 && heap.mutator.cells.size() < 200'000;) {
      if (marking && !heap.host.cycle->marking()) { // or again: the thread was faster than the program
        heap.mutator.collect(heap.self, request);
        seen = heap.host.cycle->count();
        before = off(heap);
      }
      const bool marked = heap.host.cycle->marking();
      heap.root(heap.node(2, 200));
      if (heap.host.cycle->count() == seen) continue;
      seen = heap.host.cycle->count();
      unseen += heap.last().en_masse && marked == marking;
    }
    ASSERT_EQ(unseen, 1u);
    if (marking) EXPECT_LE(off(heap), before);
    else EXPECT_GE(off(heap), before + 100) << "known without: the test is void";
  }
}

} // namespace
} // namespace garner::test
