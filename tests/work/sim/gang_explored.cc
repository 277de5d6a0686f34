// N10, N16, N17: a whole gang, two phases in a row, under every schedule with at most one preemption (two for the default form): no
// task lost or done twice, no deadlock, no schedule without end.
#include "crew_sim.h"

namespace garner::simtest {
namespace {

sim::Exploration explore_life(const GangConfig& config, u32 preemptions, u64 schedules) {
  Plan plan{config, 2, 1, 2};
  sim::Limits limits;
  limits.machine.preemptions_max = preemptions;
  limits.schedules_max = schedules;
  return sim::explore<Life>(limits, plan);
}

TEST(GangExplored, TwoWorkersTwoPhasesInEveryMode) {
  for (const GangConfig& config : all_configs(2)) {
    sim::Exploration found = explore_life(config, 1, 5'000); // a waiting conductor's spins make more schedules than that
    EXPECT_FALSE(found.failed()) << describe(config) << ": " << found.text();
    EXPECT_TRUE(found.exhausted() || config.conductor == Conductor::waits) << describe(config);
  }
}

TEST(GangExplored, DefaultFormTwoPreemptions) {
  GangConfig config;
  config.workers = 2;
  config.queue_capacity = 8;
  sim::Exploration found = explore_life(config, 2, 1'000'000);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
}

TEST(GangExplored, DefaultFormThreeWorkers) {
  GangConfig config;
  config.workers = 3;
  config.queue_capacity = 8;
  sim::Exploration found = explore_life(config, 1, 1'000'000);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
}

} // namespace
} // namespace garner::simtest
