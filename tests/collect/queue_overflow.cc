// N8: a deque of 8 entries overflows into its private stack, and wide and deep graphs still come through whole.
#include "small_heap.h"

namespace garner::test {
namespace {

struct Overflows {
  u64 count = 0;
  template <class H> void watch(H& heap) {
    static H* watched;
    watched = &heap;
    ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void*) {
      auto& gang = watched->host.cycle->gang();
      if (id != EventId::phase) return;
      for (u32 w = 0; w < gang.workers(); w++)
        if (gang.took_part(w)) static_cast<Overflows*>(self)->count += gang.stats(w).overflows;
    }, this}));
  }
};

TEST(QueueOverflow, N8DeepAndWideGraphs) {
  for (const char* options : {"queue_capacity=8", "queue_capacity=8,workers=4,woken_per=0", "queue_capacity=8,order=fifo,workers=2,woken_per=0"}) {
    SmallHeap heap(std::string(options) + ",by_place=off"); // else what waits in a full collection does so elsewhere (by_place.cc)
    Overflows overflows;
    overflows.watch(heap);
    usize wide = heap.root(heap.array(3000)), deep = heap.root(heap.node(2));
    for (usize i = 0; i < 3000; i++) heap.set(heap.at(wide), i, heap.node(2));
    for (u32 i = 0; i < 5000; i++) {
      Ref node = heap.node(2);
      heap.set(node, 0, heap.at(deep));
      heap.set(node, 1, heap.get(heap.at(wide), i % 100));
      heap.mutator.cells[deep].value = node.at;
      heap.mutator.cells[deep].tag = heap.id(node);
    }
    for (Kind kind : {Kind::young1, Kind::young1, Kind::full}) {
      overflows.count = 0;
      heap.collect(kind, true);
      EXPECT_GT(overflows.count, 100u) << name_of(kind);
      EXPECT_EQ(heap.objects(), 1 + 3000 + 1 + 5000u);
    }
    u32 length = 0;
    for (Ref at = heap.at(deep); at.at != 0; at = heap.get(at, 0)) length++;
    EXPECT_EQ(length, 5001u);
  }
}

} // namespace
} // namespace garner::test
