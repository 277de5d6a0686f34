// N14: when old space has no room for what should be promoted, the young phase goes on, nothing is lost, and a full collection follows
// under the same stop (no_room=full, as in the paper), or what found no room stays and memory between it is used (keep).
#include "small_heap.h"

namespace garner::test {
namespace {

// Puts nodes of 200 bytes before the list in the root `list`, `bytes` of them and more; every third also looks at the node before. Returns how many.
u32 lengthen(SmallHeap& heap, usize list, u64 bytes, u32 length) {
  u32 added = 0;
  for (u64 done = 0; done < bytes; done += 200, added++) {
    Ref node = heap.node(2, 200 - 40);
    if (node.at == 0) {
      ADD_FAILURE() << "no memory for node " << added;
      break;
    }
    heap.set(node, 0, heap.at(list));
    heap.set(node, 1, (length + added) % 3 == 0 ? heap.at(list) : node);
    heap.mutator.cells[list].value = node.at;
    heap.mutator.cells[list].tag = heap.id(node);
  }
  return added;
}

TEST(PromotionFailure, N14NothingIsLostAndAFullCollectionFollows) {
  for (const char* options : {"no_room=full", "no_room=full,workers=4,woken_per=0", "no_room=full,tenure_age=0,poison=on", "tenure_age=3,preset=ps,workers=3"}) {
    SyntheticShape shape;
    shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
    shape.limit = 512 * KiB + 3 * MiB; // eden fits, eden and its copies do not
    SmallHeap heap(options, shape);
    usize list = heap.root(heap.node(2));
    u32 length = 1, before = u32(heap.host.cycle->count());
    length += lengthen(heap, list, 1900 * KiB, length);
    ASSERT_EQ(heap.host.cycle->count(), before) << "eden was to hold it all";
    heap.young();
    EXPECT_TRUE(heap.last().promotion_failed);
    EXPECT_EQ(heap.last().kind, Kind::full);
    EXPECT_EQ(heap.last().cause, Cause::promotion_failed);
    EXPECT_EQ(heap.host.cycle->count(), before + 1) << "one stop";
    EXPECT_LE(heap.last().committed, shape.limit);
    u32 found = 0;
    for (Ref at = heap.at(list); at.at != 0; at = heap.get(at, 0), found++) ASSERT_TRUE(synthetic::intact(at));
    EXPECT_EQ(found, length);
    EXPECT_EQ(heap.objects(), length);
  }
}

// A request that finds nothing looks at all regions. Where objects are large, each of some hundreds would look twice, once for survivors and once for old space.
TEST(PromotionFailure, N14WhatFoundNoRoomIsNotAskedForAgain) {
  SyntheticShape shape;
  shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
  shape.limit = 512 * KiB + 2600 * KiB;
  SmallHeap heap("no_room=keep", shape);
  u32 objects = 0;
  for (u64 done = 0; done < 1800 * KiB; done += 4 * KiB, objects++) {
    Ref ref = heap.leaf(4 * KiB - 24 * (objects % 8)); // more than a card, less than a buffer
    ASSERT_NE(ref.at, 0u);
    heap.root(ref);
  }
  heap.young();
  ASSERT_TRUE(heap.last().promotion_failed);
  const u64 asked = heap.host.cycle->collecting(0).buffers_taken, granted = heap.last().copied / (8 * KiB);
  EXPECT_GT(heap.last().kept, 500 * KiB);
  EXPECT_LE(asked, granted + 2 * 8 + 4) << "eight sizes, two spaces";
  for (auto& cell : heap.mutator.cells) EXPECT_TRUE(synthetic::intact(cell.object()));
}

TEST(PromotionFailure, N14PinnedObjectsAndHandlesComeThrough) {
  SyntheticShape shape;
  shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
  shape.limit = 512 * KiB + 2600 * KiB;
  for (const char* options : {"no_room=full", "no_room=keep,verify=both", "no_room=keep,verify=both,workers=4,woken_per=0"}) for (u32 every : {100u, 10u}) { // 900 pins: as many as workers share
    SmallHeap heap(options, shape);
    std::vector<Handle> handles;
    for (u32 i = 0; i < 9000; i++) {
      Ref ref = heap.leaf(200);
      ASSERT_NE(ref.at, 0u);
      handles.push_back(heap.host.table.create(heap.host.owner, i % 2 == 0 ? HandleKind::strong : HandleKind::weak_short, ref, 0));
      if (i % every == 0) heap.root(ref, RootKind::pinned);
    }
    std::vector<word> pins;
    for (auto& cell : heap.mutator.cells) pins.push_back(cell.value);
    heap.young();
    ASSERT_TRUE(heap.last().promotion_failed);
    for (usize i = 0; i < pins.size(); i++) {
      EXPECT_EQ(heap.id({pins[i]}), heap.mutator.cells[i].tag);
      EXPECT_TRUE(synthetic::intact({pins[i]})) << "its header is not what it was";
    }
    for (u32 i = 0; i < 9000; i++) {
      bool lives = i % 2 == 0 || i % every == 0;
      ASSERT_EQ(*handles[i] != 0, lives);
      ASSERT_EQ(lives ? heap.id({*handles[i]}) : i + 1, i + 1);
    }
  }
}

// Survivors' slots, old slots and each other's slots into what stays must all be found by the next young collections; the
// memory between is used again.
TEST(PromotionFailure, N14WhatStaysGoesOnWhereItIs) {
  for (const char* options : {"no_room=keep", "no_room=keep,workers=4,woken_per=0", "no_room=keep,tenure_age=0,poison=on", "no_room=keep,tenure_age=3,workers=3"}) {
    SyntheticShape shape;
    shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
    shape.limit = 512 * KiB + 3 * MiB;
    SmallHeap heap(std::string(options) + ",verify=both", shape);
    usize list = heap.root(heap.node(2));
    u32 length = 1;
    length += lengthen(heap, list, 1900 * KiB, length);
    heap.young();
    ASSERT_TRUE(heap.last().promotion_failed);
    EXPECT_GT(heap.last().kept, 0u);
    EXPECT_NE(heap.last().kind, Kind::full);
    EXPECT_LE(heap.last().committed, shape.limit);
    for (u32 round = 0; round < 6; round++) {
      for (u64 bytes = 0; bytes < 200 * KiB; bytes += 200) heap.leaf(200); // garbage, in what is left
      if (round == 3) length += lengthen(heap, list, 8 * KiB, length);
      heap.young();
      u32 found = 0;
      for (Ref at = heap.at(list); at.at != 0; at = heap.get(at, 0), found++) ASSERT_TRUE(synthetic::intact(at));
      ASSERT_EQ(found, length);
    }
    EXPECT_EQ(heap.objects(), length);
  }
}

} // namespace
} // namespace garner::test
