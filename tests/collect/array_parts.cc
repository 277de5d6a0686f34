// N9 for wide objects: the references of a large survivor are queued by parts. Each is followed once whatever the parts' size and the object's
// shape, a part keeps its holder's cards, one entry stands for many references, and workers share an array between them.
#include "small_heap.h"

namespace garner::test {
namespace {

using synthetic::Shape;

struct Wide { const char* name; u64 type; usize slots; };

// Parts end inside runs of references, between them, and inside an element that has both.
std::vector<Wide> wide_shapes() {
  return {
      {"plain", synthetic::make_type(Shape::plain, 0, 1001, kMinObjectBytes + 1001 * kWordBytes + 4000), 1001},
      {"ends", synthetic::make_type(Shape::ends, 0, synthetic::pattern(301, 477), kMinObjectBytes + 1300 * kWordBytes), 301 + 477},
      {"repeated", synthetic::make_type(Shape::repeated, 0, synthetic::pattern(3, 2), kMinObjectBytes + 1500 * kWordBytes), 900},
      {"array", synthetic::make_type(Shape::repeated, 0, synthetic::pattern(1, 0), kMinObjectBytes + 1400 * kWordBytes), 1400},
  };
}

void all_come_through(const std::string& options, const Wide& wide) {
  SCOPED_TRACE(options + " " + wide.name);
  SmallHeap heap(options);
  usize holder = heap.root(heap.make(wide.type));
  std::vector<u32> ids(wide.slots);
  auto fill = [&](usize from, usize step) {
    for (usize i = from; i < wide.slots; i += step) {
      Ref leaf = heap.leaf(32);
      ids[i] = heap.id(leaf);
      heap.set(heap.at(holder), i, leaf);
    }
  };
  auto compare = [&] {
    usize wrong = 0;
    for (usize i = 0; i < wide.slots; i++) {
      Ref ref = heap.get(heap.at(holder), i);
      wrong += ref.at == 0 || heap.id(ref) != ids[i];
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(heap.objects(), 1 + wide.slots);
  };
  fill(0, 1);
  heap.young(); // to survivor space
  compare();
  fill(1, 3); // leaves of two ages: when the holder is promoted, the cards of its parts must know which are younger
  heap.young();
  compare();
  EXPECT_EQ(heap.role(heap.at(holder)), Role::old);
  heap.young(); // found through these cards only
  compare();
  heap.full();
  compare();
}

TEST(ArrayParts, N9EveryReferenceOfEveryShape) {
  for (const char* options : {"part=0", "part=1", "part=64", "part=72", "part=512", "part=4k", "part=64k", "part=64,workers=3,woken_per=0", "part=64,queue_capacity=8", "part=64,order=fifo,workers=2,woken_per=0"})
    for (const Wide& wide : wide_shapes()) all_come_through(options, wide);
}

// Objects that find no room stay where they are and are queued by parts there.
TEST(ArrayParts, N14WhatStaysIsQueuedByPartsToo) {
  SyntheticShape shape;
  shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
  shape.limit = 512 * KiB + 3 * MiB; // eden fits, eden and its copies do not
  for (const char* options : {"part=64", "part=64,no_room=full", "part=64,workers=4,woken_per=0"}) {
    SmallHeap heap(options, shape);
    std::vector<usize> holders;
    for (u32 n = 0; n < 64; n++) {
      holders.push_back(heap.root(heap.array(700)));
      for (usize i = 0; i < 700; i++) heap.set(heap.at(holders.back()), i, heap.leaf(32));
    }
    ASSERT_EQ(heap.host.cycle->count(), 0u) << "eden was to hold it all";
    heap.young();
    EXPECT_TRUE(heap.last().promotion_failed);
    for (usize holder : holders)
      for (usize i = 0; i < 700; i++) ASSERT_TRUE(synthetic::intact(heap.get(heap.at(holder), i)));
    heap.young();
    EXPECT_EQ(heap.objects(), 64 * 701u);
  }
}

struct Shared { u64 overflows = 0, steals = 0, largest = 0; };

Shared share(const std::string& options) {
  Shared found;
  SimConfig config; // earliest: workers run side by side in virtual time
  config.cores_per_node = 4;
  on_sim(config, "workers=4,woken_per=0,join=fixed,steal_half=off,victim=random," + options, [&](SmallHeapOn<Sim>& heap) {
    usize root = heap.root(heap.array(4000));
    for (usize i = 0; i < 4000; i++) heap.set(heap.at(root), i, heap.leaf(32));
    static SmallHeapOn<Sim>* watched;
    static Shared* sum;
    watched = &heap, sum = &found;
    EXPECT_TRUE(heap.host.cycle->emitter().add({[](void*, EventId id, const void*) {
      if (id != EventId::phase) return;
      auto& gang = watched->host.cycle->gang();
      for (u32 w = 0; w < gang.workers(); w++)
        if (gang.took_part(w)) sum->overflows += gang.stats(w).overflows, sum->steals += gang.stats(w).steals;
    }, nullptr}));
    heap.young();
    for (u32 w = 0; w < 4; w++) found.largest = max_of(found.largest, heap.host.cycle->collecting(w).copied_objects);
  });
  return found;
}

TEST(ArrayParts, N9WorkersShareAnArray) {
  const Shared whole = share("part=0,queue_capacity=256"), parts = share("part=512,queue_capacity=256");
  EXPECT_GT(whole.overflows, 3000u); // out of thieves' sight
  EXPECT_EQ(parts.overflows, 0u);
  EXPECT_GT(whole.largest, 1600u);
  EXPECT_LT(parts.largest, 1400u) << "of 4000, by four workers";
  EXPECT_LT(parts.steals * 16, 3 * 4000u) << "a theft brings a part's references";
}

} // namespace
} // namespace garner::test
