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

// The same machine, saying that it has four nodes and that it places pages as told.
struct FourNodes : CountingLinux {
  struct Self : CountingLinux::Self {
    Self(FourNodes& machine, u32 worker) : CountingLinux::Self(machine, worker) { node = worker % 4; }
  };
  u32 nodes() const { return 4; }
  u32 current_node() const { return 0; }
  u32 node_of_worker(u32 worker) const { return worker % 4; }
  u32 distance(u32 from, u32 to) const { return from == to ? 10 : 20; }
  Placed bind(word, usize, u32) { return calls++, Placed::yes; }
  Placed interleave(word, usize) { return calls++, Placed::yes; }
  bool pin(Self&, u32) { return true; }
};

// Threads on all nodes fill eden; its size goes up and down. The counters of N22 need no call of the system for that; the flawed fragments of N21
// drop and bind pages each time.
TEST(CollectionTrigger, N22FragmentedSpacesAreResizedWithoutASystemCallN21NeedsMany) {
  for (const char* policy : {"fragmented", "fragmented_hotspot"}) {
    FourNodes machine;
    SmallHeapOn<FourNodes> heap(machine, std::string("tlab=8k,retain=on,space_survivor=firsttouch,space_old=firsttouch,space_eden=") + policy);
    auto& space = heap.host.cycle->spaces().eden;
    auto fill = [&](u64 eden) {
      space.set_limit(eden);
      heap.self.node = 0;
      const u64 before = heap.host.cycle->count();
      for (u32 i = 1; heap.host.cycle->count() == before; i++) {
        heap.leaf(128);
        if (i % 64 == 0) heap.close_buffers(), heap.self.node = (heap.self.node + 1) % 4;
      }
    };
    for (u32 i = 0; i < 3; i++) fill(4 * MiB); // the pages come once
    const u64 calls = machine.calls;
    for (u64 eden : {512 * KiB, 4 * MiB, 256 * KiB, 2 * MiB, 4 * MiB}) fill(eden);
    if (policy[10] == 0) EXPECT_EQ(machine.calls, calls);
    else EXPECT_GT(machine.calls, calls + 10);
  }
}

} // namespace
} // namespace garner::test
