// N3, N22: a collection happens exactly when eden's counter reaches its limit, wherever the buffers lie; growing and shrinking eden makes no
// system call.
#include "heap/heap.ipp"
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(CollectionTrigger, N22TheCounterDecides) {
  for (u64 limit : {200 * KiB, 777 * KiB, 3 * MiB}) {
    SmallHeap heap("tlab=8k");
    heap.host.cycle->spaces().eden.set_limit(limit);
    u64 before = heap.host.cycle->count(), bytes = 0;
    while (heap.host.cycle->count() == before) {
      heap.leaf(64);
      bytes += 64;
    }
    EXPECT_GT(bytes + 8 * KiB + 64, limit);
    EXPECT_LE(bytes, limit + 64);
  }
}

TEST(CollectionTrigger, N3NoCollectionBeforeEdenIsFull) {
  SmallHeap heap;
  for (u32 i = 0; i < 7 * 16 * 1024; i++) heap.leaf(64); // 7 of 8 MiB
  EXPECT_EQ(heap.host.cycle->count(), 0u);
}

TEST(CollectionTrigger, N22ResizingMakesNoSystemCallAndMovesNoSpace) {
  SmallHeap heap("retain=on");
  auto& space = heap.host.cycle->spaces().eden;
  word base = heap.heap().base();
  usize reserved = heap.heap().reserved();
  u64 charged = 0;
  for (u64 eden : {512 * KiB, 4 * MiB, 256 * KiB, 2 * MiB}) {
    space.set_limit(eden);
    u64 before = heap.host.cycle->count();
    while (heap.host.cycle->count() == before) heap.leaf(128);
    charged = max_of(charged, heap.heap().budget().charged());
    EXPECT_EQ(heap.heap().base(), base);
    EXPECT_EQ(heap.heap().reserved(), reserved);
    EXPECT_GE(heap.heap().budget().charged(), charged) << "retained pages went back";
  }
}

} // namespace
} // namespace garner::test
