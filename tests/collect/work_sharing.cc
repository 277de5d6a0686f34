// N9: one root to a wide graph feeds every worker through stealing; without stealing only one of them copies. N10: with the paper's literal exit
// the others leave while the first object is being copied, since all deques look empty.
#include "small_heap.h"

namespace garner::test {
namespace {

u32 workers_that_copied(const char* more) {
  u32 some = 0;
  SimConfig config; // earliest: workers run side by side in virtual time
  config.cores_per_node = 4;
  on_sim(config, std::string("workers=4,woken_per=0,join=fixed,") + more, [&](SmallHeapOn<Sim>& heap) {
    usize root = heap.root(heap.array(4000));
    for (usize i = 0; i < 4000; i++) heap.set(heap.at(root), i, heap.node(1, 64));
    heap.young();
    u64 copied = 0;
    for (u32 w = 0; w < 4; w++) {
      copied += heap.host.cycle->collecting(w).copied_objects;
      some += heap.host.cycle->collecting(w).copied_bytes > 0;
    }
    EXPECT_EQ(copied, 4001u);
  });
  return some;
}

TEST(WorkSharing, N9EverybodyCopiesFromOneRoot) { EXPECT_EQ(workers_that_copied("steal=on"), 4u); }
TEST(WorkSharing, N9WithoutStealingOnlyOneDoes) { EXPECT_EQ(workers_that_copied("steal=off"), 1u); }
TEST(WorkSharing, N10LiteralExitGivesUpTooEarly) {
  EXPECT_EQ(workers_that_copied("preset=ps,plab_young=32k"), 1u);
  EXPECT_EQ(workers_that_copied("preset=ps,plab_young=32k,term_exit=count_only"), 4u);
}

} // namespace
} // namespace garner::test
