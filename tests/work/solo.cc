// A phase for one worker with a working conductor: nobody is woken, nobody sleeps, no lock is taken, nobody else takes part.
#include <array>

#include "crew.h"

namespace garner::test {
namespace {

TEST(Solo, OneWorkerWakesNobody) {
  for (const GangConfig& config : all_configs(4)) {
    if (config.conductor != Conductor::works) continue;
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 500);
      crew.gang.run(self, Phase::mark, 4, 4, body);
      // The others go to sleep once, each when the system lets it: whoever is late does so beside phases that it has no part in.
      auto calls = [&] { return std::array<u64, 3>{crew.machine.wakes, crew.machine.parks, crew.gang.gc_lock(self).acquisitions}; };
      u32 tries = 0;
      for (bool calm = false; !calm && tries < 50; tries++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const auto before = calls();
        for (u32 i = 0; i < 100; i++) {
          crew.gang.run(self, Phase::mark, 1, 7, body);
          ASSERT_EQ(crew.gang.last().joined, 1u);
          ASSERT_EQ(crew.gang.last().woken, 0u);
          ASSERT_FALSE(crew.gang.took_part(1));
          ASSERT_EQ(crew.gang.stats(0).tasks, 7u);
        }
        calm = calls() == before;
      }
      EXPECT_LT(tries, 50u) << "somebody is woken, sleeps or takes the lock in each hundred phases";
      EXPECT_EQ(body.leaves(), 2000u + tries * 100 * 3500u);
    });
  }
}

// A working conductor may push entries before a phase; they are worked off with it.
TEST(Solo, EntriesPushedBeforehandAreWorkedOff) {
  for (u32 wanted : {1u, 3u}) {
    GangConfig config;
    config.workers = 3;
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 10);
      for (u32 i = 0; i < 1000; i++) {
        for (u32 e = 0; e < 20; e++) crew.gang.queue(0).push(7);
        crew.gang.run(self, Phase::weak, wanted, 0, body);
        ASSERT_EQ(body.leaves(), (i + 1) * 140u);
      }
    });
  }
}

} // namespace
} // namespace garner::test
