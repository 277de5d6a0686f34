// Everything at once on the simulated machine: seeds choose schedules, delays, spurious wakes and early returns from sleep; nothing is
// lost, done twice, or stuck. The same seed gives the same digest.
#include "crew_sim.h"

namespace garner::simtest {
namespace {

SimConfig machine_of(u64 seed) {
  SimConfig machine;
  machine.picker = seed % 4 == 0 ? sim::Picker::earliest : sim::Picker::seeded;
  machine.seed = seed;
  machine.nodes = 1 + u32(seed % 3);
  machine.faults = sim::FaultPlan::drawn(seed);
  machine.steps_max = 20'000'000;
  return machine;
}

Plan plan_of(u64 seed) {
  Random random(seed * 31 + 5);
  std::vector<GangConfig> configs = all_configs(2 + u32(random.below(5)));
  Plan plan{configs[random.below(configs.size())], 1 + u32(random.below(4)), u32(random.below(6)), 1 + random.below(60)};
  plan.slow = random.one_in(2) ? u32(random.below(300)) : 0;
  plan.config.queue_capacity = 8;
  plan.config.order = random.one_in(4) ? Order::fifo : Order::owner_lifo;
  plan.config.share = random.one_in(2) ? Share::lazy : Share::eager;
  plan.config.steal = !random.one_in(6);
  plan.config.first_epoch = random.one_in(3) ? kEpochMax - 1 : 0;
  return plan;
}

TEST(GangSeeds, NothingIsLostOrStuck) {
  for (u64 seed = 1; seed <= 4000; seed++) {
    Plan plan = plan_of(seed);
    Sim machine(machine_of(seed));
    Life life(machine, plan);
    sim::Outcome outcome = machine.run();
    ASSERT_EQ(outcome.end, sim::End::finished) << "seed " << seed << ", " << describe(plan.config) << ": " << outcome.text;
    ASSERT_TRUE(life.ok()) << "seed " << seed << ", " << describe(plan.config);
  }
}

TEST(GangSeeds, SameSeedSameDigest) {
  for (u64 seed = 1; seed <= 60; seed++) {
    u64 digests[2];
    for (u64& digest : digests) {
      Plan plan = plan_of(seed);
      Sim machine(machine_of(seed));
      Life life(machine, plan);
      machine.run();
      digest = machine.digest();
    }
    ASSERT_EQ(digests[0], digests[1]) << "seed " << seed;
  }
}

} // namespace
} // namespace garner::simtest
