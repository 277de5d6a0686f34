// N8: every interleaving of a small case of one owner and thieves: each entry comes out exactly once. This is where the last-entry race
// and the taking back of published entries are exhausted, which real threads only hit by luck.
#include <vector>

#include <gtest/gtest.h>

#include "machine/sim/explore.h"
#include "work/deque.ipp"

namespace garner {
namespace {

struct Shape { Order order; Share share; u32 pushes, pops, thieves, steals; };

struct DequeCase {
  DequeCase(Sim& s, Shape& sh) : sim(s), shape(sh), got(sh.pushes) {
    EXPECT_TRUE(deque.start(sim, 2, shape.order));
    deque.share(shape.share);
    sim.start(&owner, this);
    for (u32 t = 0; t < shape.thieves; t++) sim.start(&thief, this);
  }
  ~DequeCase() { deque.stop(); }
  static void owner(void* at) {
    auto& c = *static_cast<DequeCase*>(at);
    u64 entry;
    for (u32 i = 0; i < c.shape.pushes; i++) c.deque.push(i);
    for (u32 i = 0; i < c.shape.pops; i++)
      if (c.deque.pop(entry)) c.got[entry]++;
    if (c.shape.pops > 0) c.got[c.again()]--, c.deque.push(c.again()); // an index that is used a second time
    while (c.deque.pop(entry)) c.got[entry]++;
  }
  static void thief(void* at) {
    auto& c = *static_cast<DequeCase*>(at);
    u64 entry;
    for (u32 i = 0; i < c.shape.steals; i++)
      if (c.deque.steal(entry) == Stolen::got) c.got[entry]++;
  }
  u64 again() const { return shape.pushes - 1; }
  bool ok() {
    u64 entry;
    while (deque.pop(entry)) got[entry]++;
    for (u32 n : got)
      if (n != 1) return false;
    return deque.empty();
  }
  Sim& sim;
  Shape shape;
  Deque<Sim> deque;
  std::vector<u32> got;
};

void explore_all(Shape shape, u32 preemptions) {
  sim::Limits limits;
  limits.machine.preemptions_max = preemptions;
  sim::Exploration found = sim::explore<DequeCase>(limits, shape);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
  EXPECT_GT(found.schedules(), 50u);
}

TEST(DequeExplored, N8OneThiefEveryInterleaving) {
  for (auto share : {Share::lazy, Share::eager}) explore_all({Order::owner_lifo, share, 2, 1, 1, 1}, ~0u);
  explore_all({Order::fifo, Share::eager, 2, 1, 1, 1}, ~0u);
}

TEST(DequeExplored, N8TwoThievesFourPreemptions) {
  for (auto share : {Share::lazy, Share::eager}) explore_all({Order::owner_lifo, share, 2, 1, 2, 1}, 4);
  explore_all({Order::fifo, Share::eager, 2, 1, 2, 1}, 4);
}

// Capacity is 2: pushes overflow, and the owner refills the deque from the overflow stack while a thief takes.
TEST(DequeExplored, N8OverflowAndRefill) {
  for (auto share : {Share::lazy, Share::eager}) explore_all({Order::owner_lifo, share, 6, 2, 1, 3}, 3);
  explore_all({Order::fifo, Share::eager, 6, 2, 1, 3}, 3);
}

} // namespace
} // namespace garner
