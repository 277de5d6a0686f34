// Interior roots: a pointer into an object, or one past its end, keeps it and moves with it; at a region's very end too.
#include "small_heap.h"

namespace garner::test {
namespace {

class InteriorPointers : public ::testing::TestWithParam<Kind> {};

TEST_P(InteriorPointers, MoveWithTheirObjects) {
  SmallHeap heap("workers=2,woken_per=0");
  Random random(8);
  for (u32 i = 0; i < 500; i++) {
    usize bytes = 24 + random.below(100) * 8;
    Ref ref = heap.leaf(bytes);
    heap.root(ref, RootKind::interior, random.one_in(4) ? bytes - 8 : random.below(bytes - 8));
  }
  for (u32 round = 0; round < 3; round++) {
    heap.collect(GetParam(), true);
    for (auto& cell : heap.mutator.cells) {
      ASSERT_EQ(heap.id(cell.object()), cell.tag);
      ASSERT_TRUE(synthetic::intact(cell.object()));
    }
  }
  EXPECT_EQ(heap.objects(), 500u);
}

// The last object of a region: one past its end is the first byte of the next region, where another object starts.
TEST_P(InteriorPointers, OnePastTheEndOfARegion) {
  SmallHeap heap("tlab=1k");
  Ref past{0};
  for (u32 i = 0; i < 2000 && past.at == 0; i++) {
    auto& eden = heap.host.cycle->spaces().eden;
    if (eden.current() != kNoRegion) {
      word top = heap.heap().region(eden.current()).top.load_relaxed(), left = heap.heap().end_of(eden.current()) - top;
      if (left >= 520 && left <= 2048) { // alone, and exactly to the region's end
        past = heap.leaf(left);
        ASSERT_EQ(past.at - 8 + left, heap.heap().end_of(heap.heap().index_of(past)));
        break;
      }
    }
    heap.leaf(600);
  }
  ASSERT_NE(past.at, 0u);
  heap.leaf(); // in the next region
  usize bytes = heap.host.size(past);
  usize root = heap.root(past, RootKind::interior, bytes - 8);
  for (u32 round = 0; round < 3; round++) {
    heap.collect(GetParam(), true);
    ASSERT_EQ(heap.id(heap.at(root)), heap.mutator.cells[root].tag);
    ASSERT_TRUE(synthetic::intact(heap.at(root)));
  }
  EXPECT_EQ(heap.objects(), 1u) << "the neighbour was taken for the object";
}

TEST_P(InteriorPointers, IntoLargeObjects) {
  SmallHeap heap;
  Ref large = heap.leaf(300 * KiB);
  usize middle = heap.root(large, RootKind::interior, 200 * KiB), end = heap.root(large, RootKind::interior, 300 * KiB - 8);
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.at(middle).at, large.at);
  EXPECT_EQ(heap.at(end).at, large.at);
  heap.drop_roots();
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
}

// Words that may be anything: whatever they hit stays, whatever they miss does no harm.
TEST_P(InteriorPointers, AmbiguousWords) {
  SmallHeap heap("poison=on,verify=both");
  Random random(12);
  for (u32 round = 0; round < 8; round++) {
    std::vector<word> hit;
    for (u32 i = 0; i < 300; i++) {
      Ref ref = heap.leaf(24 + random.below(60) * 8);
      if (i % 10 == 0) heap.root(ref);
      if (i % 25 == 1) {
        hit.push_back(ref.at);
        ASSERT_TRUE(heap.host.ambiguous.push(ref.at + random.below(heap.host.size(ref) - 7)));
      }
    }
    for (u32 i = 0; i < 200; i++) ASSERT_TRUE(heap.host.ambiguous.push(heap.heap().base() + random.below(8 * MiB)));
    ASSERT_TRUE(heap.host.ambiguous.push(random.next()));
    std::vector<u32> ids;
    for (word at : hit) ids.push_back(heap.id({at}));
    heap.collect(GetParam(), true);
    for (usize i = 0; i < hit.size(); i++) ASSERT_EQ(heap.id({hit[i]}), ids[i]) << "something that may be pointed at moved or died";
    heap.host.ambiguous.clear();
  }
  heap.drop_roots();
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, InteriorPointers, ::testing::Values(Kind::young0, Kind::young1, Kind::full), [](auto& one) { return std::string(name_of(one.param)); });

} // namespace
} // namespace garner::test
