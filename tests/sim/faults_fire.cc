// Every kind of fault happens when its plan says so, does what it says, and never happens when it is off.
#include <gtest/gtest.h>

#include "team.h"

namespace garner {
namespace {

struct Ran {
  Sim::Outcome outcome;
  u64 ns = 0, switches = 0, counts[sim::kFaultKinds] = {}, parks_returned = 0, refused = 0;
  u64 of(sim::Fault kind) const { return counts[usize(kind)]; }
};

// A parked fiber, a busy one, and one that asks for pages; the busy one ends the parked one's wait.
Ran run(sim::Picker picker, const sim::FaultPlan& faults, u32 switch_one_in = 4) {
  SimConfig config;
  config.picker = picker;
  config.nodes = 2;
  config.seed = 77;
  config.switch_one_in = switch_one_in;
  config.faults = faults;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u32> gate{0}, count{0};
  Ran ran;
  team.start([&] {
    Sim::Self self(machine, 0);
    while (gate.load_acquire() == 0) {
      machine.park(self, gate, 0);
      ran.parks_returned++;
    }
  });
  team.start([&] {
    Sim::Self self(machine, 1);
    for (u32 k = 0; k < 2000; k++) count.fetch_add_relaxed(1);
    gate.store_release(1);
    machine.wake(self, gate, 1);
  });
  team.start([&] {
    for (u32 k = 0; k < 50; k++) {
      const word at = machine.reserve(64 * KiB, 4 * KiB);
      if (at == 0) ran.refused++;
      else if (machine.bind(at, 64 * KiB, 1) == Placed::refused || machine.interleave(at, 64 * KiB) == Placed::refused) ran.refused++;
    }
  });
  ran.outcome = machine.run();
  ran.ns = machine.now();
  ran.switches = machine.switches();
  for (usize i = 0; i < sim::kFaultKinds; i++) ran.counts[i] = machine.faults(sim::Fault(i));
  return ran;
}

class FaultsFire : public testing::TestWithParam<sim::Picker> {};

TEST_P(FaultsFire, NoneWithoutAPlan) {
  const Ran ran = run(GetParam(), {});
  EXPECT_EQ(ran.outcome.end, sim::End::finished);
  for (u64 count : ran.counts) EXPECT_EQ(count, 0u);
  EXPECT_LE(ran.parks_returned, 1u);
  EXPECT_EQ(ran.refused, 0u);
}

TEST_P(FaultsFire, DelaysTakeTime) {
  sim::FaultPlan plan;
  plan.delay_one_in = 20;
  plan.delay_ps_max = 1'000'000'000;
  const Ran quiet = run(GetParam(), {}), ran = run(GetParam(), plan);
  EXPECT_EQ(ran.outcome.end, sim::End::finished);
  EXPECT_GT(ran.of(sim::Fault::delay), 20u);
  EXPECT_GT(ran.ns, quiet.ns + 1'000'000);
}

TEST_P(FaultsFire, ParkedFibersWakeForNothing) {
  sim::FaultPlan plan;
  plan.spurious_wake_one_in = 20;
  const Ran ran = run(GetParam(), plan);
  EXPECT_EQ(ran.outcome.end, sim::End::finished);
  EXPECT_GT(ran.of(sim::Fault::spurious_wake), 5u);
  EXPECT_GE(ran.parks_returned, ran.of(sim::Fault::spurious_wake));
}

TEST_P(FaultsFire, ParksReturnAtOnce) {
  sim::FaultPlan plan;
  plan.park_returns_one_in = 2;
  plan.spurious_wake_one_in = 10; // so that it parks often
  const Ran ran = run(GetParam(), plan);
  EXPECT_EQ(ran.outcome.end, sim::End::finished);
  EXPECT_GT(ran.of(sim::Fault::park_returns), 2u);
}

TEST_P(FaultsFire, StormsOfGivingWay) {
  sim::FaultPlan plan;
  plan.storm_one_in = 50;
  plan.park_returns_one_in = 1; // so that two fibers are there to give way to each other
  sim::FaultPlan calm = plan;
  calm.storm_one_in = 0;
  const Ran quiet = run(GetParam(), calm, 1000), ran = run(GetParam(), plan, 1000); // nearly all switches come from storms
  EXPECT_EQ(ran.outcome.end, sim::End::finished);
  EXPECT_GT(ran.of(sim::Fault::storm), 5u);
  if (GetParam() == sim::Picker::seeded) {
    EXPECT_GT(ran.switches, quiet.switches + 5 * ran.of(sim::Fault::storm));
  }
}

TEST_P(FaultsFire, PageCallsAreRefused) {
  sim::FaultPlan plan;
  plan.bind_refused_one_in = 3;
  plan.reserve_refused_one_in = 5;
  const Ran ran = run(GetParam(), plan);
  EXPECT_GT(ran.of(sim::Fault::bind_refused), 2u);
  EXPECT_GT(ran.of(sim::Fault::reserve_refused), 2u);
  EXPECT_GE(ran.refused, ran.of(sim::Fault::reserve_refused));
}

INSTANTIATE_TEST_SUITE_P(Pickers, FaultsFire, testing::Values(sim::Picker::earliest, sim::Picker::seeded));

} // namespace
} // namespace garner
