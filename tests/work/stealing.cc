// N9: one root with a wide graph: every worker gets a share; with stealing off only the one that took the root works.
#include "crew.h"

namespace garner::test {
namespace {

u32 workers_with_leaves(const GangConfig& config, bool several_phases) {
  u32 most = 0;
  Crew<Real> crew(config);
  crew.conduct([&](Real::Self& self) {
    Trees<Real> body(crew.gang, 20'000);
    body.yield_one_in = several_phases ? 50 : 1000; // one that is alone has nobody to wait for, and each costs a slice of a busy system
    const u64 end = self.now() + 60'000'000'000;
    for (u32 i = 0; several_phases ? self.now() < end : i < 5; i++) { // who sleeps long comes in a later one
      for (auto& c : body.counts) c.leaves = 0;
      crew.gang.run(self, Phase::mark, config.workers, 1, body);
      EXPECT_EQ(body.leaves(), 20'000u);
      u32 n = 0;
      u64 steals = 0;
      for (u32 w = 0; w < config.workers; w++) {
        n += body.counts[w].leaves != 0;
        if (!crew.gang.took_part(w)) continue;
        steals += crew.gang.stats(w).steals;
        EXPECT_GE(crew.gang.stats(w).steal_attempts, crew.gang.stats(w).steals);
      }
      if (config.steal) EXPECT_GE(steals + 1, n); // everybody but the taker of the root lives from stealing
      else EXPECT_EQ(steals, 0u);
      most = max_of(most, n);
      if (most == config.workers) break;
    }
  });
  return most;
}

TEST(Gang, N9AllWorkersGetAShare) {
  for (const GangConfig& config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    EXPECT_EQ(workers_with_leaves(config, true), 4u);
  }
}

TEST(Gang, N9StealingOff) {
  for (GangConfig config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    config.steal = false;
    for (auto order : {Order::owner_lifo, Order::fifo}) { // fifo: the entries are visible to thieves, who must not come
      config.order = order;
      EXPECT_EQ(workers_with_leaves(config, false), 1u);
    }
  }
}

} // namespace
} // namespace garner::test
