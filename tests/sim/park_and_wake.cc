// The simulated futex: a changed word is not slept on, sleepers wake in order of arrival, and no wake-up is lost.
#include <gtest/gtest.h>

#include <vector>

#include "team.h"

namespace garner {
namespace {

TEST(ParkAndWake, AChangedWordIsNotSleptOn) {
  Sim machine(SimConfig{});
  Team team(machine);
  Sim::Atomic<u32> at{7};
  team.start([&] {
    Sim::Self self(machine, 0);
    machine.park(self, at, 6);
  });
  EXPECT_EQ(machine.run().end, sim::End::finished);
}

TEST(ParkAndWake, InOrderOfArrivalAndAsManyAsAsked) {
  Sim machine(SimConfig{});
  Team team(machine);
  Sim::Atomic<u32> at{0}, elsewhere{0};
  std::vector<u32> woken;
  for (u32 i = 0; i < 5; i++) {
    team.start([&, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < (5 - i) * 10; k++) self.pause(); // the highest number arrives first
      machine.park(self, i == 2 ? elsewhere : at, 0);
      woken.push_back(i);
    });
  }
  team.start([&] {
    Sim::Self self(machine, 9);
    for (u32 k = 0; k < 1000; k++) self.pause();
    machine.wake(self, at, 3);
    for (u32 k = 0; k < 10000; k++) self.pause();
    woken.push_back(9);
    machine.wake(self, elsewhere, ~0u);
    machine.wake(self, at, ~0u);
  });
  EXPECT_EQ(machine.run().end, sim::End::finished);
  EXPECT_EQ(woken, (std::vector<u32>{4, 3, 1, 9, 2, 0}));
}

TEST(ParkAndWake, ASleeperRunsOneLatencyAfterTheWake) {
  SimConfig config;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u32> at{0};
  u64 woken_ns = 0, wake_ns = 0;
  team.start([&] {
    Sim::Self self(machine, 0);
    machine.park(self, at, 0);
    woken_ns = self.now();
  });
  team.start([&] {
    Sim::Self self(machine, 1);
    for (u32 k = 0; k < 1000; k++) self.pause();
    wake_ns = self.now();
    machine.wake(self, at, 1);
  });
  machine.run();
  const u64 expected = (config.costs.wake_call + config.costs.wake_latency + config.costs.clock_read) / 1000;
  EXPECT_NEAR(double(woken_ns - wake_ns), double(expected), 1);
}

// A bounded buffer of one, with the protocol every parking place of the house uses: read the word, look, then park on what was
// read. Under every seed and every fault all items arrive.
TEST(ParkAndWake, NoWakeIsLostUnderManySeeds) {
  SimConfig config;
  Sim machine(config);
  u64 spurious = 0;
  for (u64 seed = 1; seed <= 2000; seed++) {
    config.picker = seed % 8 == 0 ? sim::Picker::earliest : sim::Picker::seeded;
    config.seed = seed;
    config.faults = sim::FaultPlan::drawn(seed);
    machine.reset(config);
    Team team(machine);
    Sim::Atomic<u32> item{0}, change{0};
    u32 received = 0;
    auto exchange = [&](Sim::Self& self, bool wants_full, u32 leave) {
      while (true) {
        const u32 seen = change.load_acquire();
        const u32 found = item.load_acquire();
        if ((found != 0) == wants_full) {
          item.store_release(leave);
          change.fetch_add_acq_rel(1);
          machine.wake(self, change, ~0u);
          return found;
        }
        machine.park(self, change, seen);
      }
    };
    team.start([&] {
      Sim::Self self(machine, 0);
      for (u32 k = 1; k <= 5; k++) exchange(self, false, k);
    });
    team.start([&] {
      Sim::Self self(machine, 1);
      for (u32 k = 1; k <= 5; k++) received += exchange(self, true, 0) == k;
    });
    const Sim::Outcome outcome = machine.run();
    ASSERT_EQ(outcome.end, sim::End::finished) << "seed " << seed << ": " << outcome.text;
    ASSERT_EQ(received, 5u) << "seed " << seed;
    spurious += machine.faults(sim::Fault::spurious_wake);
  }
  EXPECT_GT(spurious, 0u);
}

} // namespace
} // namespace garner
