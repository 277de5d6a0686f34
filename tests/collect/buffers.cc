// N2: threads allocate in buffers of their own, so refills are few; whatever a buffer leaves is a filler, and spaces can be walked.
#include <set>

#include "small_heap.h"

namespace garner::test {
namespace {

TEST(Buffers, N2RefillsAreFarFewerThanObjects) {
  SmallHeap heap("tlab=32k");
  for (u32 i = 0; i < 20'000; i++) heap.leaf(32);
  EXPECT_GE(heap.mutator.refills(), 20'000u * 32 / (32 * KiB));
  EXPECT_LE(heap.mutator.refills(), 25u);
}

TEST(Buffers, N2CollectorsTakeBuffersToo) {
  SmallHeap heap("plab_young=32k,plab_old=8k");
  for (u32 i = 0; i < 4000; i++) heap.root(heap.leaf(64));
  heap.young();
  EXPECT_LE(heap.host.cycle->collecting(0).buffers_taken, 4000u * 64 / (32 * KiB) + 2);
  heap.young(); // into old
  EXPECT_GE(heap.host.cycle->collecting(0).buffers_taken, 4000u * 64 / (8 * KiB));
  EXPECT_LE(heap.host.cycle->collecting(0).buffers_taken, 4000u * 64 / (8 * KiB) + 5);
  EXPECT_EQ(heap.host.cycle->collecting(0).promoted_objects, 4000u);
}

TEST(Buffers, N2ObjectsOverHalfABufferAreAllocatedAlone) {
  SmallHeap heap("tlab=8k,plab_young=1k,plab_old=1k");
  while (heap.mutator.buffer_end() - heap.mutator.buffer_begin() == 0 || heap.mutator.buffer_end() - heap.mutator.buffer_begin() > 4000) heap.leaf();
  word rest = heap.mutator.buffer_end() - heap.mutator.buffer_begin();
  usize root = heap.root(heap.leaf(6000));
  EXPECT_EQ(heap.mutator.buffer_end() - heap.mutator.buffer_begin(), rest) << "the buffer was given up for one object";
  heap.young();
  EXPECT_EQ(heap.role(heap.at(root)), Role::survivor);
}

// A walk over every region meets well-formed objects and fillers only, each live object once, after any mix of sizes and buffers.
TEST(Buffers, N2SpacesAreWalkableWithFillers) {
  for (const char* options : {"tlab=1k,plab_young=1k,plab_old=1k", "tlab=64k,plab_young=32k,plab_old=32k,workers=4,woken_per=0", "tlab=3000,plab_young=1160,plab_old=5000,tenure_age=0"}) {
    SmallHeap heap(options);
    Random random(17);
    u64 fillers = 0;
    for (u32 round = 0; round < 6; round++) {
      for (u32 i = 0; i < 2000; i++) {
        Ref ref = heap.leaf(24 + (random.below(1000) >> random.below(8)) * 8);
        if (random.one_in(5)) heap.root(ref);
      }
      heap.collect(round % 3 == 2 ? Kind::full : Kind::young1, round % 2 == 0);
      std::set<u32> ids;
      heap.each_object([&](Ref ref) {
        ASSERT_TRUE(heap.host.plausible(ref));
        if (heap.host.filler(ref)) fillers++;
        else { ASSERT_TRUE(ids.insert(heap.id(ref)).second && synthetic::intact(ref)); }
      });
      for (auto& cell : heap.mutator.cells) ASSERT_TRUE(ids.count(heap.id(cell.object())));
      if (round % 2 == 1) heap.drop_roots();
    }
    EXPECT_GT(fillers, 0u);
  }
}

} // namespace
} // namespace garner::test
