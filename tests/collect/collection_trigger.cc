// N3, N22: a collection happens exactly when eden's counter reaches its limit, wherever the buffers lie; growing and shrinking eden makes no
// system call.
#include "collect/compact/compaction.ipp"
#include "collect/evacuate/evacuation.ipp"
#include "cycle/cycle.ipp"
#include "heap/bare_heap.h"
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(CollectionTrigger, N22N3TheCounterDecides) {
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
  CountingLinux machine;
  SmallHeapOn<CountingLinux> heap(machine, "retain=on");
  auto& space = heap.host.cycle->spaces().eden;
  auto fill = [&](u64 eden) {
    space.set_limit(eden);
    for (u64 before = heap.host.cycle->count(); heap.host.cycle->count() == before;) heap.leaf(128);
  };
  fill(4 * MiB); // the pages come once
  word base = heap.heap().base();
  u64 calls = machine.calls, charged = heap.heap().budget().charged();
  for (u64 eden : {512 * KiB, 4 * MiB, 256 * KiB, 2 * MiB, 4 * MiB}) fill(eden);
  EXPECT_EQ(machine.calls, calls);
  EXPECT_EQ(heap.heap().budget().charged(), charged);
  EXPECT_EQ(heap.heap().base(), base);
}

} // namespace
} // namespace garner::test
