// Ephemerons: a pair keeps its second object alive if, and only if, something else keeps the first; through chains, backwards and in cycles.
#include "collect/small_heap.h"

namespace garner::test {
namespace {

class Ephemerons : public ::testing::TestWithParam<Kind> {
 protected:
  Handle pair(Ref first, Ref second) { return heap.host.table.create(heap.host.owner, HandleKind::dependent, first, second.at); }
  SmallHeap heap{"workers=2,woken_per=0"};
};

TEST_P(Ephemerons, ChainsAreFollowedToTheirEndInAnyOrder) {
  constexpr u32 kLength = 300;
  std::vector<usize> cells;
  for (u32 i = 0; i < kLength; i++) cells.push_back(heap.root(heap.leaf()));
  std::vector<Handle> pairs;
  for (u32 i = kLength - 1; i-- > 0;) pairs.push_back(pair(heap.at(cells[i]), heap.at(cells[i + 1]))); // last link first
  u32 last = heap.id(heap.at(cells[kLength - 1]));
  heap.mutator.cells.truncate(1);
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.objects(), kLength);
  EXPECT_EQ(heap.id({HandleTable::extra(pairs[0])}), last);
  heap.drop_roots();
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
  for (Handle p : pairs) EXPECT_TRUE(*p == 0 && HandleTable::extra(p) == 0);
}

TEST_P(Ephemerons, ACycleDoesNotKeepItself) {
  Ref a = heap.leaf(), b = heap.leaf(), c = heap.leaf();
  Handle pairs[] = {pair(a, b), pair(b, c), pair(c, a)};
  heap.collect(GetParam(), true);
  for (Handle p : pairs) EXPECT_EQ(*p, 0u);
  EXPECT_EQ(heap.objects(), 0u);
}

TEST_P(Ephemerons, TheFirstMayHangOnTheSecondOfAnother) {
  Ref key = heap.leaf(), holder = heap.node(1), value = heap.leaf();
  Ref inner = heap.leaf();
  heap.set(holder, 0, inner);
  pair(inner, value); // inner lives through holder, holder through key
  pair(key, holder);
  usize root = heap.root(key);
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.objects(), 4u);
  heap.let_go(root);
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
}

TEST_P(Ephemerons, AFinalizedFirstKeepsItsSecond) {
  Ref first = heap.finalizable(), second = heap.leaf();
  u32 id = heap.id(second);
  Handle p = pair(first, second);
  heap.collect(GetParam(), true);
  ASSERT_EQ(heap.host.finalize_queue.ready_count(), 1u);
  EXPECT_EQ(heap.id({HandleTable::extra(p)}), id) << "what finalization brought back is a first object again";
  heap.host.finalize_queue.next_ready();
  heap.full();
  EXPECT_EQ(*p, 0u);
  EXPECT_EQ(heap.objects(), 0u);
}

TEST_P(Ephemerons, APairWithoutAFirstHoldsNothing) {
  Handle p = pair({0}, heap.leaf());
  heap.collect(GetParam(), true);
  EXPECT_EQ(HandleTable::extra(p), 0u);
  EXPECT_EQ(heap.objects(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Ephemerons, ::testing::Values(Kind::young0, Kind::young1, Kind::full), [](auto& one) { return std::string(name_of(one.param)); });

} // namespace
} // namespace garner::test
