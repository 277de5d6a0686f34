// N9 with steal_half: one thief at a time goes to a victim. That is a hint: a thief that lost its processor there holds nobody up for long.
#include "crew.h"

namespace garner::test {
namespace {

struct Body : Draining<Real, Body> {
  std::atomic<u32> held{~0u}; // the worker that stands at the victim
  std::atomic<u32> taken{0}, taken_beside{0};
  static constexpr u32 kEntries = 2000;
  explicit Body(Gang<Real>& g) : Draining(g) {}
  void root(Real::Self& self, u32) {
    for (u32 i = 0; i < kEntries; i++) gang->queue(self.index).push(i);
    const u64 end = self.now() + 20'000'000'000;
    while (taken_beside.load() == 0 && self.now() < end) self.yield();
  }
  void take(Real::Self& self, u64) {
    taken++;
    if (u32 who = held.load(); who != ~0u && who != self.index) taken_beside++;
  }
};

TEST(OneThief, N9WhoStandsThereHoldsNobodyUp) {
  GangConfig config;
  config.workers = 3;
  config.victim = Victim::nearest;
  config.steal_half = true;
  Crew<Real> crew(config);
  std::atomic<Body*> now{nullptr};
  std::atomic<bool> in_vain{false};
  crew.machine.at = [&](Real::Self& self, Spot spot) {
    u32 nobody = ~0u;
    Body& body = *now.load();
    if (spot != Spot::visiting || !body.held.compare_exchange_strong(nobody, self.index)) return;
    const u64 end = self.now() + 10'000'000'000;
    while (body.taken_beside.load() == 0 && self.now() < end) self.yield();
    if (body.taken_beside.load() == 0) in_vain = true;
  };
  Body body(crew.gang);
  now = &body;
  crew.conduct([&](Real::Self& self) { crew.gang.run(self, Phase::mark, 3, 1, body); });
  EXPECT_FALSE(in_vain) << "nobody else took anything while one stood there";
  EXPECT_EQ(body.taken.load(), Body::kEntries);
}

} // namespace
} // namespace garner::test
