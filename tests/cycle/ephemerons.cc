// Ephemerons: a pair keeps its second object alive if, and only if, something else keeps the first; through chains, backwards and in cycles.
#include <algorithm>

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

// More pairs than one task, or one part of the list of those that are not decided at once, in an order that needs many rounds; some are decided by what finalization brings back.
TEST_P(Ephemerons, ManyPairsLiveAsAModelSays) {
  constexpr u32 kObjects = 9000, kPairs = 14000;
  Random random(17);
  std::vector<usize> cells;
  std::vector<u32> ids, from(kPairs), to(kPairs);
  std::vector<Handle> pairs;
  u32 finalizable = 0;
  for (u32 i = 0; i < kObjects; i++) {
    const bool final = i % 900 == 450;
    cells.push_back(heap.root(final ? heap.finalizable() : heap.leaf()));
    ids.push_back(heap.id(heap.at(cells[i])));
    finalizable += final;
  }
  for (u32 i = 0; i < kPairs; i++) {
    from[i] = u32(random.below(kObjects));
    to[i] = std::min(kObjects - 1, from[i] + u32(random.below(40))); // chains, in any order
    pairs.push_back(pair(heap.at(cells[from[i]]), heap.at(cells[to[i]])));
  }
  std::vector<u8> lives(kObjects, 0);
  for (u32 i = 0; i < kObjects; i++) {
    if (i % 2000 == 7) lives[i] = 1;
    else heap.mutator.cells[cells[i]].value = 0;
    if (i % 900 == 450) lives[i] = 1; // kept for its finalizer
  }
  for (bool more = true; more;) {
    more = false;
    for (u32 i = 0; i < kPairs; i++)
      if (lives[from[i]] && !lives[to[i]]) lives[to[i]] = 1, more = true;
  }
  const u32 alive = u32(std::count(lives.begin(), lives.end(), 1));
  ASSERT_GT(alive, kObjects / 20);
  ASSERT_LT(alive, kObjects - kObjects / 20);
  heap.collect(GetParam(), true);
  EXPECT_LE(heap.host.finalize_queue.ready_count(), finalizable);
  for (u32 i = 0; i < kPairs; i++) {
    if (!lives[from[i]]) {
      ASSERT_EQ(*pairs[i], 0u) << i;
      continue;
    }
    ASSERT_NE(*pairs[i], 0u) << i;
    ASSERT_EQ(heap.id({*pairs[i]}), ids[from[i]]);
    ASSERT_EQ(heap.id({HandleTable::extra(pairs[i])}), ids[to[i]]);
  }
  EXPECT_EQ(heap.objects(), alive);
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
