// A line that one fiber keeps is cheap, one that many write is passed on one by one, and readers share it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "team.h"

namespace garner {
namespace {

u64 increments_ps(u32 fibers, u32 each, bool shared) {
  Sim machine(SimConfig{});
  Team team(machine);
  Sim::Atomic<u64> words[64];
  for (u32 i = 0; i < fibers; i++)
    team.start([&, i] {
      for (u32 k = 0; k < each; k++) words[shared ? 0 : i].fetch_add_relaxed(1);
    });
  return machine.run().ns * 1000;
}

TEST(LinesCost, OwnLinesScaleAndASharedOneDoesNot) {
  const sim::Costs costs;
  const u64 alone = increments_ps(1, 1000, false);
  EXPECT_EQ(alone / 1000, (costs.line_in + 1000 * costs.atomic_own) / 1000);
  EXPECT_EQ(increments_ps(16, 1000, false), alone);
  // One server with a fixed service time: the run lasts as long as all transfers together.
  const u64 shared = increments_ps(16, 1000, true);
  EXPECT_NEAR(double(shared), double(16 * 1000 * costs.line_take), 0.02 * double(shared));
}

TEST(LinesCost, ReadersShareUntilSomebodyWrites) {
  SimConfig config;
  config.slack_ps = 0;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u64> at{0};
  u64 cost[3];
  team.start([&] { at.store_relaxed(1); });
  team.start([&] {
    Sim::Self self(machine, 1);
    for (u32 k = 0; k < 100; k++) self.pause();
    for (u64& one : cost) {
      const u64 before = self.now();
      for (u32 k = 0; k < 1000; k++) at.load_acquire();
      one = (self.now() - before) * 1000 - config.costs.clock_read;
      if (&one == &cost[1]) at.store_relaxed(2);
    }
  });
  machine.run();
  EXPECT_NEAR(double(cost[0]), double(config.costs.line_fetch + 999 * config.costs.atomic_load), 1000);
  EXPECT_NEAR(double(cost[1]), double(1000 * config.costs.atomic_load), 1000);
  EXPECT_NEAR(double(cost[2]), double(1000 * config.costs.atomic_load), 1000);
}

// Two words of one line of a range disturb each other; words outside every range do not, unless their memory is adopted.
TEST(LinesCost, FalseSharingInRangesAndAdoptedMemory) {
  struct Pair {
    Sim::Atomic<u64> first, second;
  };
  auto ns = [](bool adopted) {
    Sim machine(SimConfig{});
    Team team(machine);
    void* memory = aligned_alloc(64, 4096);
    Pair* pair = new (memory) Pair;
    if (adopted) {
      EXPECT_TRUE(machine.adopt(reinterpret_cast<word>(memory), 4096));
      EXPECT_FALSE(machine.adopt(reinterpret_cast<word>(memory) + 64, 64)); // overlaps
    }
    for (auto* one : {&pair->first, &pair->second})
      team.start([one] {
        for (u32 k = 0; k < 1000; k++) one->fetch_add_relaxed(1);
      });
    const u64 result = machine.run().ns;
    if (adopted) machine.forget(reinterpret_cast<word>(memory));
    free(memory);
    return result;
  };
  const u64 apart = ns(false), together = ns(true);
  EXPECT_GT(together, 5 * apart);
}

} // namespace
} // namespace garner
