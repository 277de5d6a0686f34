// N9, N23, T13: a worker takes only from its list of victims, and withdraws from termination only for them: while only a deque that it
// must not take from has entries, it stays idle.
#include "crew.h"

namespace garner::test {
namespace {

// Two nodes: workers 0, 1 and workers 2, 3. Worker 0 has entries visible for a while; 2 and 3 may not touch them.
TEST(Victims, T13NoWithdrawalForForeignWork) {
  GangConfig config;
  config.workers = 4;
  config.join = JoinKind::fixed;
  Crew<Real> crew(config);
  static const u32 of[4] = {1, 0, 3, 2};
  struct Body : Draining<Real, Body> {
    std::vector<std::atomic<u64>> taken = std::vector<std::atomic<u64>>(4);
    using Draining::Draining;
    void root(Real::Self& self, u32) {
      for (u32 i = 0; i < 400; i++) gang->queue(self.index).push(i);
    }
    void take(Real::Self& self, u64) {
      taken[self.index]++;
      self.yield();
    }
  };
  crew.conduct([&](Real::Self& self) {
    for (u32 w = 0; w < 4; w++) crew.gang.set_victims(w, &of[w], 1);
    u32 foreign_idle = 0;
    for (u32 i = 0; i < 50; i++) {
      Body body(crew.gang);
      crew.gang.run(self, Phase::mark, 4, 1, body);
      u32 owner = 0;
      while (body.taken[owner] == 0) owner++;
      u32 node = owner / 2;
      EXPECT_EQ(body.taken[2 * node] + body.taken[2 * node + 1], 400u);
      for (u32 w = 2 * (1 - node); w < 2 * (1 - node) + 2; w++) {
        EXPECT_EQ(body.taken[w].load(), 0u);
        EXPECT_EQ(crew.gang.stats(w).steals, 0u);
        EXPECT_EQ(crew.gang.stats(w).withdrawals, 0u) << "withdrew for a deque it must not take from";
        foreign_idle += crew.gang.stats(w).offers == 1;
      }
    }
    EXPECT_EQ(foreign_idle, 100u);
    for (u32 w = 0; w < 4; w++) crew.gang.set_victims(w, nullptr, 0);
    Body body(crew.gang);
    crew.gang.run(self, Phase::mark, 4, 1, body);
  });
}

// With late join a listed worker may be absent; that is an empty deque and nothing else.
TEST(Victims, ListedWorkersMayBeAbsent) {
  GangConfig config;
  config.workers = 6;
  Crew<Real> crew(config);
  static const u32 all_but[6][5] = {{1, 2, 3, 4, 5}, {0, 2, 3, 4, 5}, {0, 1, 3, 4, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 5}, {0, 1, 2, 3, 4}};
  crew.conduct([&](Real::Self& self) {
    for (u32 w = 0; w < 6; w++) crew.gang.set_victims(w, all_but[w], 5);
    Trees<Real> body(crew.gang, 300);
    body.yield_one_in = 10;
    for (u32 i = 0; i < 500; i++) {
      crew.gang.run(self, Phase::mark, 3, 2, body);
      ASSERT_EQ(body.leaves(), (i + 1) * 600u);
    }
  });
}

} // namespace
} // namespace garner::test
