// Near the limit: full collections come before a request fails, the limit is never passed, a failed request is an answer and not the
// end, and memory that becomes free can be used again.
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(OutOfMemory, IsSurvivedAndTheLimitHolds) {
  for (const char* options : {"", "workers=2,woken_per=0,compact_dense=20", "tenure_age=0,plab_old=1k"}) {
    SyntheticShape shape;
    shape.limit = 4 * MiB;
    shape.eden_min = 64 * KiB;
    SmallHeap heap(options, shape);
    static u64 worst;
    worst = 0;
    heap.host.cycle->emitter().add({[](void*, EventId id, const void* payload) {
      if (id == EventId::cycle_end) worst = max_of(worst, static_cast<const CycleEnd*>(payload)->committed);
    }, nullptr});
    u64 live[3];
    for (u32 round = 0; round < 3; round++) {
      u64 full_before = heap.host.cycle->count_of(2);
      for (live[round] = 0;; live[round]++) {
        Ref ref = heap.leaf(round == 1 ? 5000 : 120);
        ASSERT_LE(heap.heap().budget().committed(), shape.limit);
        if (ref.at == 0) break;
        heap.root(ref);
      }
      EXPECT_GT(heap.host.cycle->count_of(2), full_before) << "gave up without a full collection";
      EXPECT_EQ(heap.leaf(300 * KiB).at, 0u);
      EXPECT_EQ(heap.objects(), live[round]);
      heap.drop_roots();
    }
    EXPECT_LE(worst, shape.limit);
    EXPECT_GT(live[0] * 120, 2 * MiB) << "most of the limit was never used";
    EXPECT_GE(live[2] * 10, live[0] * 9) << "freed memory could not be used again";
  }
}

TEST(OutOfMemory, ALargeRequestMakesRoomByCompaction) {
  SyntheticShape shape;
  shape.limit = 6 * MiB;
  shape.eden_min = 64 * KiB;
  SmallHeap heap("full_promotes=all,compact_dense=1", shape); // collections leave nearly everything in place until they must not
  for (u32 i = 0; i < 36'000; i++) heap.root(heap.leaf(120));
  heap.full(false);
  auto& cells = heap.mutator.cells;
  usize kept = 0;
  for (usize i = 0; i < cells.size(); i++)
    if (i % 4 == 0) cells[kept++] = cells[i];
  cells.truncate(kept); // a quarter lives, in every region
  Ref large = heap.leaf(3 * MiB);
  EXPECT_NE(large.at, 0u);
}

TEST(OutOfMemory, AShrunkLimitIsWorkedTowards) {
  SyntheticShape shape;
  shape.limit = 16 * MiB;
  shape.eden_min = 64 * KiB;
  SmallHeap heap("", shape);
  for (u32 i = 0; i < 200'000; i++)
    if (Ref ref = heap.leaf(64); i % 20 == 0) heap.root(ref);
  heap.host.cycle->set_limit(5 * MiB);
  for (u32 i = 0; i < 100'000; i++) ASSERT_NE(heap.leaf(64).at, 0u);
  EXPECT_LE(heap.heap().budget().committed(), 5 * MiB);
}

// A large object waits for more than can be had: others go on. What it is left when it could be is the affair of who waits (Cycle::leave).
TEST(OutOfMemory, WhatCannotBeHadDoesNotTakeEden) {
  SyntheticShape shape;
  shape.limit = 32 * MiB;
  shape.eden_min = 64 * KiB;
  SmallHeap heap("", shape);
  for (u32 i = 0; i < 100; i++) heap.root(heap.leaf(1000));
  heap.full();
  heap.host.cycle->leave(24 * MiB);
  heap.young();
  EXPECT_LE(heap.host.cycle->spaces().eden.limit(), 8 * MiB);
  heap.host.cycle->leave(GiB);
  heap.young();
  EXPECT_GE(heap.host.cycle->spaces().eden.limit(), 512 * KiB);
  const u64 before = heap.host.cycle->count();
  for (u32 i = 0; i < 1000; i++) ASSERT_NE(heap.leaf(1000).at, 0u);
  EXPECT_LE(heap.host.cycle->count(), before + 4);
  heap.host.cycle->take_back(GiB + 24 * MiB);
}

} // namespace
} // namespace garner::test
