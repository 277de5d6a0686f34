// Late join: a worker that is woken and does not come does not hold up a phase; when it comes later it takes part in later phases;
// never more than `wanted` take part, whoever wakes up.
#include "crew.h"

namespace garner::test {
namespace {

TEST(LateJoin, WorkerThatDoesNotComeHoldsNobodyUp) {
  GangConfig config;
  config.workers = 4;
  Crew<Real> crew(config);
  std::atomic<bool> go{false};
  crew.machine.at = [&](Real::Self& self, Spot spot) {
    if (spot == Spot::woken && self.index != 0) hold_until(self, go); // the system does not run any of them
  };
  crew.conduct([&](Real::Self& self) {
    Trees<Real> body(crew.gang, 1000);
    for (u32 i = 0; i < 100; i++) {
      crew.gang.run(self, Phase::mark, 4, 5, body);
      ASSERT_EQ(crew.gang.last().joined, 1u);
      ASSERT_EQ(body.leaves(), (i + 1) * 5000u);
    }
    go = true;
    body.yield_one_in = 10;
    auto all_join = [&] { return crew.gang.run(self, Phase::mark, 4, 5, body), crew.gang.last().joined == 4; };
    EXPECT_TRUE(within_a_minute(self, all_join)) << "the late workers never came back";
  });
}

TEST(LateJoin, AtMostWantedTakePart) {
  GangConfig config;
  config.workers = 8;
  Crew<Real> crew(config);
  crew.conduct([&](Real::Self& self) {
    Trees<Real> body(crew.gang, 200);
    body.yield_one_in = 20;
    u64 expected = 0;
    for (u32 i = 0; i < 3000; i++) {
      u32 wanted = 1 + u32(self.random.below(8));
      crew.gang.run(self, Phase::mark, wanted, 3, body);
      expected += 600;
      ASSERT_LE(crew.gang.last().joined, wanted);
      ASSERT_EQ(crew.gang.last().woken, wanted - 1);
      u32 took_part = 0;
      for (u32 w = 0; w < 8; w++) took_part += crew.gang.took_part(w);
      ASSERT_EQ(took_part, crew.gang.last().joined);
      ASSERT_EQ(body.leaves(), expected);
    }
  });
}

// Held between joining and its first step: it is counted in, so now the phase must wait for it.
TEST(LateJoin, WhoHasJoinedIsWaitedFor) {
  GangConfig config;
  config.workers = 2;
  Crew<Real> crew(config);
  std::atomic<bool> joined{false}, go{false}, entered{false};
  crew.machine.at = [&](Real::Self& self, Spot spot) {
    if (spot != Spot::joined || joined.exchange(true)) return;
    hold_until(self, go);
    entered = true;
  };
  crew.conduct([&](Real::Self& self) {
    Trees<Real> body(crew.gang, 100);
    body.yield_one_in = 2;
    std::thread releaser([&] {
      while (!joined) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      go = true;
    });
    while (!joined) crew.gang.run(self, Phase::mark, 2, 2, body);
    EXPECT_TRUE(entered) << "the phase ended without a worker that had joined";
    releaser.join();
  });
}

} // namespace
} // namespace garner::test
