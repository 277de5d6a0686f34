// What a phase says of itself: tasks, steals, overflows, offers, withdrawals and times agree with each other and with the body.
#include "crew.h"

namespace garner::test {
namespace {

TEST(PhaseStatistics, AddUp) {
  for (GangConfig config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    config.queue_capacity = 8; // forces overflow
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      struct Wide : Draining<Real, Wide> {
        std::atomic<u32> left{0};
        using Draining::Draining;
        void leave(Real::Self&) { left++; }
        void root(Real::Self& s, u32) {
          for (u32 i = 0; i < 100; i++) gang->queue(s.index).push(i);
        }
        void take(Real::Self& s, u64) {
          if (s.random.one_in(20)) s.yield();
        }
      } body(crew.gang);
      for (u32 i = 0; i < 30; i++) {
        body.left = 0;
        crew.gang.run(self, Phase::evacuate, 4, 9, body);
        const PhaseRecord& record = crew.gang.last();
        EXPECT_EQ(record.phase, Phase::evacuate);
        EXPECT_EQ(record.wanted, 4u);
        EXPECT_LE(record.start_ns, record.end_ns);
        WorkerStats sum = {};
        for (u32 w = 0; w < 4; w++) {
          if (!crew.gang.took_part(w)) continue;
          const WorkerStats& s = crew.gang.stats(w);
          EXPECT_GE(s.start_ns, record.start_ns);
          EXPECT_LE(s.start_ns, s.end_ns);
          EXPECT_LE(s.end_ns, record.end_ns);
          EXPECT_LE(s.idle_ns, s.end_ns - s.start_ns) << "of the worker's own span";
          EXPECT_EQ(s.offers, s.withdrawals + (config.term_exit == TermExit::literal ? s.offers - s.withdrawals : 1));
          sum.tasks += s.tasks, sum.overflows += s.overflows, sum.offers += s.offers;
        }
        EXPECT_EQ(sum.tasks, 9u);
        EXPECT_GT(sum.overflows, 0u);
        if (config.term_exit == TermExit::literal) EXPECT_LE(sum.offers, body.left.load()); // and once by whoever found no steal task left
        else EXPECT_EQ(sum.offers, body.left.load()) << "leave() before every offer, and only there";
      }
    });
  }
}

} // namespace
} // namespace garner::test
