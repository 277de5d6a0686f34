// N1: an object too large for a young region is born old, in a run of its own; it causes no young collection and never moves.
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(LargeObjects, N1BornOldWithoutACollection) {
  SmallHeap heap;
  u64 before = heap.host.cycle->count();
  Ref large = heap.leaf(40 * KiB), larger = heap.leaf(300 * KiB);
  EXPECT_EQ(heap.role(large), Role::large);
  EXPECT_EQ(heap.role(larger), Role::large);
  EXPECT_EQ(heap.generation(large), 2u);
  EXPECT_EQ(heap.host.cycle->count(), before);
  EXPECT_EQ(heap.host.cycle->spaces().eden.used(), 0u);
}

TEST(LargeObjects, N1NeverMoveAndDieInFullCollectionsOnly) {
  SmallHeap heap;
  usize root = heap.root(heap.array(20'000));
  Ref dead = heap.array(20'000);
  word at = heap.at(root).at;
  u32 dead_region = heap.heap().index_of(dead);
  heap.young();
  heap.young();
  EXPECT_EQ(heap.heap().region(dead_region).role, Role::large);
  heap.full();
  EXPECT_EQ(heap.heap().region(dead_region).role, Role::free);
  EXPECT_EQ(heap.at(root).at, at);
  EXPECT_EQ(heap.role(heap.at(root)), Role::large);
}

// All of a large array's slots are kept right: in the head's region, in the tails, and beyond the first part that marking cuts it into.
TEST(LargeObjects, SlotsInEveryRegionAndPart) {
  constexpr usize kSlots = 100'000; // 800 KiB: 13 regions, 7 parts
  SmallHeap heap("workers=3,woken_per=0");
  usize root = heap.root(heap.array(kSlots));
  std::vector<u32> ids;
  for (usize i = 0; i < kSlots; i += 997) {
    Ref child = heap.leaf();
    ids.push_back(heap.id(child));
    heap.set(heap.at(root), i, child);
  }
  for (Kind kind : {Kind::young0, Kind::young1, Kind::full, Kind::young1, Kind::full}) {
    heap.collect(kind, true);
    for (usize i = 0, k = 0; i < kSlots; i += 997, k++) ASSERT_EQ(heap.id(heap.get(heap.at(root), i)), ids[k]);
  }
  EXPECT_EQ(heap.objects(), 1 + ids.size());
}

TEST(LargeObjects, N1TheirBudgetStartsAFullCollection) {
  SyntheticShape shape = SmallHeap::roomy();
  shape.reserve = 256 * MiB;
  SmallHeap heap("", shape);
  for (u32 i = 0; i < 60; i++) heap.leaf(200 * KiB); // 12 MiB of garbage against an allowance of 2
  EXPECT_GT(heap.host.cycle->count_of(2), 2u);
  EXPECT_EQ(heap.host.cycle->count_of(2), heap.host.cycle->count_of(0)) << "a young collection frees no large object";
  EXPECT_LT(heap.heap().budget().charged(), 8 * MiB);
}

} // namespace
} // namespace garner::test
