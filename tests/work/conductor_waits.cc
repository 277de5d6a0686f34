// N4: with conductor=waits the caller sleeps and N workers numbered 0 … N-1 do everything; start, stop and start again.
#include "crew.h"

namespace garner::test {
namespace {

struct Who : Draining<Real, Who> {
  std::thread::id conductor = std::this_thread::get_id();
  std::atomic<u32> by_conductor{0}, tasks{0}, out_of_range{0};
  using Draining::Draining;
  void root(Real::Self& self, u32) {
    tasks++;
    by_conductor += std::this_thread::get_id() == conductor;
    out_of_range += self.index >= 4;
  }
  void take(Real::Self&, u64) {}
};

TEST(ConductorWaits, N4TheCallerDoesNotWork) {
  for (const GangConfig& config : all_configs(4)) {
    if (config.conductor == Conductor::works) continue;
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Who body(crew.gang);
      for (u32 wanted : {4u, 1u, 3u, 2u})
        for (u32 i = 0; i < 100; i++) {
          crew.gang.run(self, Phase::mark, wanted, 5, body);
          ASSERT_LE(crew.gang.last().joined, wanted);
          ASSERT_GE(crew.gang.last().joined, 1u);
        }
      EXPECT_EQ(body.tasks.load(), 2000u);
      EXPECT_EQ(body.by_conductor.load(), 0u);
      EXPECT_EQ(body.out_of_range.load(), 0u);
      EXPECT_EQ(crew.gang.workers(), 4u);
    });
  }
}

TEST(ConductorWaits, StopEndsTheThreadsAndStartWorksAgain) {
  for (const GangConfig& config : all_configs(3)) {
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    for (u32 life = 0; life < 5; life++)
      crew.conduct([&](Real::Self& self) {
        Trees<Real> body(crew.gang, 30);
        for (u32 i = 0; i < 10; i++) crew.gang.run(self, Phase::mark, 3, 3, body);
        EXPECT_EQ(body.leaves(), 900u);
      });
  }
}

// Stopped before any thread had a chance to run.
TEST(ConductorWaits, StopAtOnce) {
  for (u32 i = 0; i < 50; i++) {
    GangConfig config;
    config.workers = 4;
    Crew<Real> crew(config);
    crew.conduct([](Real::Self&) {});
  }
}

} // namespace
} // namespace garner::test
