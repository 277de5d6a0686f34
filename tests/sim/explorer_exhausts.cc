// The explorer runs each order of visible operations exactly once: its counts are those of combinatorics, and spinning ends.
#include <gtest/gtest.h>

#include "machine/sim/explore.h"

namespace garner {
namespace {

// `fibers` fibers with `operations` atomic increments each.
struct Increments {
  Increments(Sim& machine, u32 fibers, u32 operations_each) : operations(operations_each), expected(fibers * operations_each) {
    for (u32 i = 0; i < fibers; i++) machine.start(&add, this);
  }
  static void add(void* at) {
    auto& one = *static_cast<Increments*>(at);
    for (u32 k = 0; k < one.operations; k++) one.count.fetch_add_relaxed(1);
  }
  bool ok() { return count.load_relaxed() == expected; }
  u32 operations, expected;
  Sim::Atomic<u32> count{0};
};

u64 schedules(u32 fibers, u32 operations, u32 preemptions) {
  sim::Limits limits;
  limits.machine.preemptions_max = preemptions;
  sim::Exploration all = sim::explore<Increments>(limits, fibers, operations);
  EXPECT_FALSE(all.failed()) << all.text();
  EXPECT_TRUE(all.exhausted());
  return all.schedules();
}

TEST(ExplorerExhausts, AllInterleavings) {
  EXPECT_EQ(schedules(1, 5, ~0u), 1u);
  EXPECT_EQ(schedules(2, 1, ~0u), 2u);
  EXPECT_EQ(schedules(2, 2, ~0u), 6u);     // 4! / (2! 2!)
  EXPECT_EQ(schedules(2, 4, ~0u), 70u);    // 8! / (4! 4!)
  EXPECT_EQ(schedules(3, 2, ~0u), 90u);    // 6! / (2! 2! 2!)
  EXPECT_EQ(schedules(3, 3, ~0u), 1680u);  // 9! / (3! 3! 3!)
  EXPECT_EQ(schedules(4, 2, ~0u), 2520u);  // 8! / (2! 2! 2! 2!)
}

TEST(ExplorerExhausts, WithinABoundOnPreemptions) {
  EXPECT_EQ(schedules(2, 4, 0), 2u);
  EXPECT_EQ(schedules(3, 3, 0), 6u);
  // One preemption: either fiber first, cut at one of 3 places, or not at all.
  EXPECT_EQ(schedules(2, 4, 1), 8u);
}

// Two fibers with four operations each; of the first one's only the last two are searched.
struct Part {
  explicit Part(Sim& sim) : machine(sim) {
    machine.choose(false);
    machine.start(&search, this);
    machine.start(&count_up, this);
  }
  static void search(void* at) {
    auto& one = *static_cast<Part*>(at);
    for (u32 k = 0; k < 4; k++) {
      if (k == 2) {
        EXPECT_EQ(one.count.load_relaxed(), 2u) << "preempted before";
        one.machine.choose(true);
      }
      one.count.fetch_add_relaxed(1);
    }
    one.machine.choose(false);
  }
  static void count_up(void* at) {
    for (u32 k = 0; k < 4; k++) static_cast<Part*>(at)->count.fetch_add_relaxed(1);
  }
  bool ok() { return count.load_relaxed() == 8; }
  Sim& machine;
  Sim::Atomic<u32> count{0};
};

TEST(ExplorerExhausts, APartOfACase) {
  for (u32 preemptions : {1u, ~0u}) {
    sim::Limits limits;
    limits.machine.preemptions_max = preemptions;
    sim::Exploration all = sim::explore<Part>(limits);
    EXPECT_FALSE(all.failed()) << all.text();
    EXPECT_TRUE(all.exhausted());
    EXPECT_EQ(all.schedules(), preemptions == 1 ? 3u : 15u); // 6! / (2! 4!)
  }
}

// One waits for the other by spinning; the fair rule keeps the number of schedules finite.
template <bool kYield> struct Spin {
  explicit Spin(Sim& machine) : sim(machine) {
    for (u32 i = 0; i < 2; i++) machine.start(&wait, this);
    machine.start(&give, this);
  }
  static void wait(void* at) {
    auto& one = *static_cast<Spin*>(at);
    Sim::Self self(one.sim, 0);
    while (one.flag.load_acquire() == 0) kYield ? self.yield() : self.pause();
    one.passed++;
  }
  static void give(void* at) {
    auto& one = *static_cast<Spin*>(at);
    one.flag.store_release(1);
  }
  bool ok() { return passed == 2; }
  Sim& sim;
  Sim::Atomic<u32> flag{0};
  u32 passed = 0;
};

TEST(ExplorerExhausts, LoopsThatWaitBySpinning) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration yields = sim::explore<Spin<true>>(limits);
  EXPECT_FALSE(yields.failed()) << yields.text();
  EXPECT_TRUE(yields.exhausted());
  sim::Exploration pauses = sim::explore<Spin<false>>(limits);
  EXPECT_TRUE(pauses.exhausted());
  EXPECT_EQ(pauses.schedules(), yields.schedules());
  RecordProperty("schedules", int(yields.schedules()));
}

TEST(ExplorerExhausts, StopsAtItsOwnLimit) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  limits.schedules_max = 100;
  sim::Exploration some = sim::explore<Increments>(limits, 3u, 3u);
  EXPECT_EQ(some.schedules(), 100u);
  EXPECT_FALSE(some.exhausted());
}

} // namespace
} // namespace garner
