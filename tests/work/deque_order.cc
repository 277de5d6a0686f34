// N7, N8: whatever is published, taken back, spilled and refilled, the entries are one sequence: pop takes the newest
// (owner_lifo) or the oldest (fifo), steal takes the oldest, and steal never reaches the overflow stack.
#include <deque>

#include "crew.h"

namespace garner::test {
namespace {

struct Case { Order order; Share share; };
class DequeOrder : public ::testing::TestWithParam<Case> {};

TEST_P(DequeOrder, N8SequenceIsKeptThroughOverflow) {
  Linux machine;
  Random random(7);
  u64 overflows = 0;
  for (u32 round = 0; round < 200; round++) {
    Deque<Linux> deque;
    ASSERT_TRUE(deque.start(machine, 8, GetParam().order));
    deque.share(GetParam().share);
    std::deque<u64> model;
    u64 next = 1, entry = 0;
    u32 starved = 0;
    for (u32 step = 0; step < 400; step++) {
      u64 dice = random.below(100), growth = step < 250 ? 50 : 30;
      if (dice < growth) {
        deque.push(next);
        model.push_back(next++);
      } else if (dice < 80) {
        ASSERT_EQ(deque.pop(entry), !model.empty());
        if (model.empty()) continue;
        if (GetParam().order == Order::fifo) {
          ASSERT_EQ(entry, model.front());
          model.pop_front();
        } else {
          ASSERT_EQ(entry, model.back());
          model.pop_back();
        }
      } else {
        usize in_deque = model.size() - deque.spilled();
        u64 some[4];
        u32 taken, shown = u32(in_deque);
        if (deque.steal(some, 1 + u32(random.below(4)), taken) == Stolen::got) {
          ASSERT_GT(in_deque, 0u) << "a thief got an entry of the overflow stack";
          ASSERT_LE(taken, GetParam().share == Share::eager ? 1u : (shown + 1) / 2) << "more than half";
          for (u32 i = 0; i < taken; i++) {
            ASSERT_EQ(some[i], model.front());
            model.pop_front();
          }
        } else {
          ASSERT_EQ(taken, 0u);
        }
        continue;
      }
      // After a few steps of the owner (of any one, when it shares eagerly) thieves see something, unless there is but one entry; a full overflow
      // stack behind an emptied deque feeds it.
      if (GetParam().share == Share::none) continue;
      if (model.size() < 2) starved = 0;
      if (model.size() < 2) continue;
      starved = deque.looks_stealable() ? 0 : starved + 1;
      ASSERT_LT(starved, GetParam().share == Share::eager ? 1u : 17u) << "thieves starve";
      ASSERT_LE(model.size() - deque.spilled(), 8u);
    }
    overflows += deque.overflows();
    while (deque.pop(entry)) model.pop_back();
    ASSERT_TRUE(model.empty());
    ASSERT_TRUE(deque.empty());
    deque.stop();
  }
  EXPECT_GT(overflows, 0u);
}

INSTANTIATE_TEST_SUITE_P(Forms, DequeOrder,
                         ::testing::Values(Case{Order::owner_lifo, Share::lazy}, Case{Order::owner_lifo, Share::eager},
                                           Case{Order::owner_lifo, Share::none}, Case{Order::fifo, Share::eager}));

// What thieves take from is filled up before it is empty: they take half of what they see, so that a few entries would stay for long while thousands are private.
TEST(DequeShare, MoreIsShownBeforeAllIsTaken) {
  Linux machine;
  Deque<Linux> deque;
  ASSERT_TRUE(deque.start(machine, 4096, Order::owner_lifo));
  deque.share(Share::lazy);
  for (u64 i = 0; i < 1000; i++) deque.push(i);
  u64 some[128], entry;
  u32 taken;
  do ASSERT_EQ(deque.steal(some, 128, taken), Stolen::got);
  while (taken > 4);
  ASSERT_TRUE(deque.looks_stealable()) << "a few are left to see";
  for (u32 i = 0; i < 16; i++) ASSERT_TRUE(deque.pop(entry));
  ASSERT_EQ(deque.steal(some, 128, taken), Stolen::got);
  EXPECT_GE(taken, 50u);
  deque.stop();
}

} // namespace
} // namespace garner::test
