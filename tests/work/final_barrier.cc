// N11, N17: with a monitor the phase waits until every worker has arrived; with futexes nobody waits for a worker that has offered.
#include "crew.h"

namespace garner::test {
namespace {

// Everybody but worker 2 holds back on entering until worker 2 has offered, so that its offer is not the last one.
struct AfterWorker2 : Draining<Real, AfterWorker2> {
  std::atomic<bool>* offered;
  bool for_ever; // fixed: worker 2 is sure to come
  AfterWorker2(Gang<Real>& g, std::atomic<bool>& o, bool e) : Draining(g), offered(&o), for_ever(e) {}
  void enter(Real::Self& self) {
    if (self.index == 2) return;
    for (u32 i = 0; !offered->load() && (for_ever || i < 1000); i++) self.yield();
  }
  void root(Real::Self&, u32) {}
  void take(Real::Self&, u64) {}
};

void hold_worker_2_after_its_offer(const GangConfig& config) {
  SCOPED_TRACE(describe(config));
  Crew<Real> crew(config);
  std::atomic<bool> held{false}, go{false}, returned{false}, waited{false};
  crew.machine.at = [&](Real::Self& self, Spot spot) {
    if (spot != Spot::offered || self.index != 2 || held.exchange(true)) return;
    hold_until(self, go);
  };
  crew.conduct([&](Real::Self& self) {
    AfterWorker2 body(crew.gang, held, config.join == JoinKind::fixed);
    std::thread releaser([&] {
      while (!held) std::this_thread::yield();
      const int patience = config.sync == SyncKind::futex ? 60'000 : 100; // futex: how long it takes until nobody has waited depends on who else is on this machine
      for (int i = 0; i < patience && !returned; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      waited = !returned;
      go = true;
    });
    do crew.gang.run(self, Phase::mark, 4, 4, body);
    while (!held && config.join == JoinKind::late); // until worker 2 happens to take part
    returned = true;
    releaser.join();
    EXPECT_EQ(waited.load(), config.sync == SyncKind::monitor);
    crew.gang.run(self, Phase::mark, 4, 4, body);
  });
}

TEST(Gang, N11BarrierWaitsForAllAndN17WaitsForNobody) {
  for (const GangConfig& config : all_configs(4)) hold_worker_2_after_its_offer(config);
}

} // namespace
} // namespace garner::test
