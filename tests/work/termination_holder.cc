// N10: a worker holds a popped entry while every deque looks empty. count_only: nobody leaves termination before it has put the
// rest of its work back. literal: others leave early, but the final barrier still holds the phase; with futexes it is refused.
#include "crew.h"

namespace garner::test {
namespace {

// Task 0 pushes one seed; whoever gets it holds it, with nothing visible anywhere, then pushes `kLeaves` leaves.
template <class M> struct Holder : Draining<M, Holder<M>> {
  using Self = typename M::Self;
  static constexpr u64 kSeed = 1, kLeaf = 2, kLeaves = 1000;
  std::atomic<u32> phase{0}, holding{0}; // number of the phase in which somebody holds the seed, or 0
  std::function<bool()> enough = [] { return true; }; // what the seed is held for beyond 10 ms
  u32 entered[8] = {};                   // the phase each worker is in; its own
  std::atomic<u64> leaves{0};
  using Draining<M, Holder<M>>::Draining;
  void enter(Self& self) { entered[self.index] = phase; }
  void root(Self& self, u32) { this->gang->queue(self.index).push(kSeed); }
  void take(Self& self, u64 entry) {
    if (entry == kLeaf) return void(leaves++);
    holding = phase.load();
    hold_ms(self, 10);
    within_a_minute(self, enough);
    for (u64 i = 0; i < kLeaves; i++) this->gang->queue(self.index).push(kLeaf);
    holding = 0;
  }
};

TEST(Gang, N10NobodyLeavesWhileAnEntryIsHeld) {
  for (const GangConfig& config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    Holder<Real> body(crew.gang);
    std::atomic<u64> early{0};
    crew.machine.at = [&](Real::Self& self, Spot spot) {
      if (spot == Spot::left && body.holding == body.entered[self.index]) early++;
    };
    if (config.term_exit == TermExit::literal) body.enough = [&] { return early != 0; };
    crew.conduct([&](Real::Self& self) {
      for (u32 i = 1; i <= 8; i++) {
        body.phase = i;
        crew.gang.run(self, Phase::mark, 4, 1, body);
        ASSERT_EQ(body.holding, 0u) << "the phase ended while a worker was at work";
        ASSERT_EQ(body.leaves.load(), i * Holder<Real>::kLeaves);
      }
    });
    if (config.term_exit == TermExit::count_only) EXPECT_EQ(early.load(), 0u);
    else EXPECT_GT(early.load(), 0u) << "the literal exit was never used";
  }
}

TEST(Gang, N10LiteralExitWithFutexIsRefused) {
  GangConfig config;
  config.join = JoinKind::fixed;
  config.term_exit = TermExit::literal;
  Real machine;
  Gang<Real> gang;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(gang.start(machine, config));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("N10"), std::string::npos);
}

TEST(Gang, N11LateJoinWithMonitorIsRefused) {
  GangConfig config;
  config.sync = SyncKind::monitor;
  Real machine;
  Gang<Real> gang;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(gang.start(machine, config));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("work.join=late"), std::string::npos);
}

} // namespace
} // namespace garner::test
