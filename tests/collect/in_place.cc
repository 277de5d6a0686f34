// collect.in_place: a full collection that would gain little by moving anything leaves everything where it lies, finds the dead all the same, and lets no reference lose its card.
#include <vector>

#include "small_heap.h"

namespace garner::test {
namespace {

// As the program's allocation would ask for it; verify=both looks at every object, card and start before and after.
void full_when_due(SmallHeap& heap) {
  Request request;
  request.kind = Kind::full;
  request.cause = Cause::eden_full;
  request.may_widen = false;
  heap.mutator.collect(heap.self, request);
}

u32 generation(SmallHeap& heap, usize cell) { return heap.host.generation_of(heap.at(cell)); }

// Old objects, linked to each other.
void grow_old(SmallHeap& heap, u32 count) {
  for (u32 i = 0; i < count; i++) heap.root(heap.node(2, 8 * (i % 5)));
  heap.full();
  heap.full();
  for (u32 i = 0; i < count; i++) heap.set(heap.at(i), 0, heap.at((i * 7919) % count));
  ASSERT_EQ(generation(heap, 0), 2u);
}

std::vector<word> places(SmallHeap& heap) {
  std::vector<word> all;
  for (auto& cell : heap.mutator.cells) all.push_back(cell.object().at);
  return all;
}

// After a collection, when no buffer is open.
usize filler_bytes(SmallHeap& heap) {
  usize bytes = 0;
  heap.each_object([&](Ref ref) { bytes += heap.host.filler(ref) ? heap.host.size(ref) : 0; });
  return bytes;
}

class InPlace : public ::testing::TestWithParam<const char*> {};

TEST_P(InPlace, N13NothingMovesWhereThatWouldBringLittle) {
  SmallHeap heap(std::string("in_place=0,") + GetParam());
  grow_old(heap, 20'000);
  // Young ones, of which half die, held by old ones and by each other.
  const usize old = heap.mutator.cells.size();
  for (u32 i = 0; i < 2000; i++) {
    Ref young = heap.node(2);
    if (i % 2 == 0) continue;
    usize cell = heap.root(young);
    heap.set(heap.at(i * 9), 1, heap.at(cell));
    heap.set(heap.at(cell), 0, heap.at(cell - 1));
  }
  ASSERT_EQ(generation(heap, old), 0u);
  // One old object in fifty dies.
  usize kept = 0;
  auto& cells = heap.mutator.cells;
  for (usize i = 0; i < old; i++) heap.set(heap.at(i), 0, {0});
  for (usize i = 0; i < cells.size(); i++)
    if (i >= old || i % 50 != 7) cells[kept++] = cells[i];
  cells.truncate(kept);
  const std::vector<word> before = places(heap);
  full_when_due(heap);
  EXPECT_EQ(places(heap), before);
  EXPECT_FALSE(heap.last().compacted);
  EXPECT_EQ(heap.last().slid, 0u);
  EXPECT_GT(filler_bytes(heap), 1300 * 40u) << "the dead are fillers now";
  EXPECT_EQ(generation(heap, cells.size() - 1), 1u) << "young still, as its holder may be too";
  // What the cards kept: young collections move the young ones and find every reference to them.
  heap.collect(Kind::young1);
  heap.collect(Kind::young1);
  EXPECT_NE(heap.at(cells.size() - 1).at, before.back());
  EXPECT_EQ(heap.at(0).at, before[0]);
  for (auto& cell : cells) ASSERT_TRUE(synthetic::intact(cell.object()));
}

TEST_P(InPlace, N13WhatIsYoungAndLivesBecomesOldTogether) {
  SmallHeap heap(std::string("in_place=0,") + GetParam());
  grow_old(heap, 20'000);
  for (u32 i = 0; i < 4000; i++) {
    usize cell = heap.root(heap.node(2));
    heap.set(heap.at(cell), 0, heap.at(cell - 1));
    heap.set(heap.at(i), 1, heap.at(cell));
  }
  const std::vector<word> before = places(heap);
  full_when_due(heap);
  EXPECT_EQ(places(heap), before);
  for (usize i = 0; i < before.size(); i++) ASSERT_EQ(generation(heap, i), 2u);
  u64 dirty = 0;
  heap.heap().each_region([&](u32 index, auto&) { dirty += !cards_clean(heap.heap().card_of(heap.heap().begin_of(index)), heap.heap().region_bytes() >> kCardShift); });
  EXPECT_EQ(dirty, 0u) << "nothing is young, so no card need be looked at";
  // And goes on: new ones, held by the ones that have just become old.
  for (u32 i = 0; i < 500; i++) heap.set(heap.at(before.size() - 1 - i), 1, heap.leaf(40));
  heap.collect(Kind::young1);
  for (u32 i = 0; i < 500; i++) ASSERT_TRUE(synthetic::intact(heap.get(heap.at(before.size() - 1 - i), 1)));
}
INSTANTIATE_TEST_SUITE_P(Workers, InPlace, ::testing::Values("workers=1", "workers=3,woken_per=0"));

TEST(InPlace, N13MovesWhereThatBringsRoom) {
  SmallHeap heap("in_place=0");
  grow_old(heap, 20'000);
  for (auto& cell : heap.mutator.cells) heap.set(cell.object(), 0, {0});
  usize kept = 0;
  auto& cells = heap.mutator.cells;
  for (usize i = 0; i < cells.size(); i++)
    if (i % 2 == 0) cells[kept++] = cells[i];
  cells.truncate(kept);
  full_when_due(heap);
  EXPECT_TRUE(heap.last().compacted);
  EXPECT_GT(heap.last().slid, 0u);
}

TEST(InPlace, N13OnlyWhereThereIsMuchToRewriteAndNobodyAsked) {
  for (bool asked : {false, true}) {
    SmallHeap heap(asked ? "in_place=0,compact_dense=101" : "compact_dense=101"); // by default from a million slots on
    grow_old(heap, 5000);
    for (auto& cell : heap.mutator.cells) heap.set(cell.object(), 0, {0});
    heap.let_go(100);
    if (asked) heap.full();
    else full_when_due(heap);
    EXPECT_TRUE(heap.last().compacted);
  }
}

} // namespace
} // namespace garner::test
