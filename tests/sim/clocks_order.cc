// Under `earliest` visible operations of all fibers happen in the order of their clocks, ties by fiber number.
#include <gtest/gtest.h>

#include <vector>

#include "team.h"

namespace garner {
namespace {

TEST(ClocksOrder, VisibleOperationsHappenInClockOrder) {
  SimConfig config;
  config.slack_ps = 1'000'000; // plain verbs may run ahead, visible ones not
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u32> words[5];
  std::vector<u64> seen;
  word at = machine.reserve(MiB, 4 * KiB);
  for (u32 i = 0; i < 5; i++) {
    team.start([&, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < 300; k++) {
        for (u64 n = self.random.below(40); n > 0; n--) self.load(Slot{at + i * 4096 + n * 8});
        const u64 before = self.now(); // its own price is the operation's distance from `before`
        words[i].fetch_add_relaxed(1);
        seen.push_back(before);
        if (self.random.one_in(3)) self.pause();
      }
    });
  }
  Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::finished);
  ASSERT_EQ(seen.size(), 1500u);
  for (usize i = 1; i < seen.size(); i++) EXPECT_GE(seen[i], seen[i - 1]) << i;
}

// Under the other pickers the fibers share one time line: nobody reads an earlier time than was read before.
TEST(ClocksOrder, TimeNeverRunsBackwardsUnderTheOtherPickers) {
  for (sim::Picker picker : {sim::Picker::seeded, sim::Picker::every}) {
    SimConfig config;
    config.picker = picker;
    config.faults.delay_one_in = 10; // which `every` does not take
    Sim machine(config);
    Team team(machine);
    Sim::Atomic<u32> at{0};
    u64 last = 0;
    u32 backwards = 0;
    for (u32 i = 0; i < 4; i++)
      team.start([&, i] {
        Sim::Self self(machine, i);
        for (u32 k = 0; k < 500; k++) {
          at.fetch_add_relaxed(1);
          const u64 now = self.now();
          backwards += now < last;
          last = now;
          if (k % 3 == 0) self.yield();
        }
      });
    EXPECT_EQ(machine.run().end, sim::End::finished);
    EXPECT_EQ(backwards, 0u);
    EXPECT_GT(machine.switches(), 300u);
  }
}

TEST(ClocksOrder, TiesGoToTheLowerNumber) {
  Sim machine(SimConfig{});
  Team team(machine);
  std::vector<u32> order;
  for (u32 i = 0; i < 9; i++) {
    team.start([&, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < 4; k++) {
        self.pause();
        order.push_back(i);
      }
    });
  }
  machine.run();
  ASSERT_EQ(order.size(), 36u);
  for (u32 i = 0; i < 36; i++) EXPECT_EQ(order[i], i % 9);
}

TEST(ClocksOrder, TheRunTakesAsLongAsItsSlowestFiber) {
  SimConfig config;
  config.costs.pause = 1'000'000;
  Sim machine(config);
  Team team(machine);
  for (u32 i = 1; i <= 4; i++) {
    team.start([&machine, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < i * 100; k++) self.pause();
    });
  }
  EXPECT_EQ(machine.run().ns, 400'000u);
  EXPECT_EQ(machine.now(), 400'000u);
  team.start([&machine] { Sim::Self(machine, 0).pause(); }); // a later run goes on from there
  EXPECT_EQ(machine.run().ns, 401'000u);
}

} // namespace
} // namespace garner
