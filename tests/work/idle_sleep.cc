// Idle workers of a late-join phase go to sleep; a published entry wakes one, whoever wakes and sees more wakes the next, and the end
// wakes all. The bodies wait until others have taken entries, so a ring that is lost, or not passed on, is a hang.
#include <deque>

#include "crew.h"

namespace garner::test {
namespace {

struct Body : Draining<Real, Body> {
  std::atomic<u32>* asleep;
  u32 others;
  static constexpr u32 kCapacity = 16, kEntries = kCapacity + 1; // the second push publishes an entry and rings, the last one overflows, publishes all others and rings
  std::atomic<bool> pushing{false};
  u32 owner = ~0u;
  std::atomic<u32> others_took{0}, taken{0};
  Body(Gang<Real>& g, std::atomic<u32>& a, u32 n) : Draining(g), asleep(&a), others(n) {}
  void root(Real::Self& self, u32) {
    while (asleep->load() < others) self.yield(); // everybody else is about to sleep …
    hold_ms(self, 1);                             // … and does
    owner = self.index;
    pushing = true;  // whoever wakes up now steals only when all is pushed
    for (u32 i = 0; i < kEntries; i++) gang->queue(self.index).push(i);
    pushing = false;
    while (others_took.load() < others) self.yield(); // the owner rings for nobody any more: the other sleepers hear of it from those that steal
  }
  void take(Real::Self& self, u64) {
    taken++;
    if (self.index == owner) return;
    others_took++;
    while (others_took.load() < others) self.yield(); // others hold their first entry until all of them have one
  }
};

TEST(IdleSleep, PublishedEntriesWakeSleepers) {
  constexpr u32 kOthers = 5, kOwnersRings = 2;
  static_assert(kOthers > kOwnersRings);
  GangConfig config;
  config.workers = kOthers + 1;
  config.queue_capacity = Body::kCapacity;
  Crew<Real> crew(config);
  std::atomic<u32> asleep{0};
  crew.machine.at = [&](Real::Self&, Spot spot) {
    if (spot == Spot::dozing) asleep++;
  };
  std::atomic<Body*> now{nullptr};
  crew.machine.after_park = [&](Real::Self& self) {
    while (now.load()->pushing) self.yield();
  };
  std::deque<Body> bodies; // all of them live on: a late worker may still look at the one before
  now = &bodies.emplace_back(crew.gang, asleep, kOthers);
  crew.conduct([&](Real::Self& self) {
    for (u32 i = 0; i < 50; i++) {
      asleep = 0;
      Body& body = bodies.emplace_back(crew.gang, asleep, kOthers);
      now = &body;
      crew.gang.run(self, Phase::mark, kOthers + 1, 1, body);
      ASSERT_EQ(body.taken.load(), Body::kEntries);
    }
  });
}

// A long root task and nothing to steal: everybody sleeps until the end, and the end reaches everybody, the conductor included.
TEST(IdleSleep, TheEndWakesEverybody) {
  GangConfig config;
  config.workers = 4;
  for (bool steal : {true, false}) {
    config.steal = steal;
    Crew<Real> crew(config);
    struct Long {
      std::atomic<u32>* asleep;
      u32 wait_for;
      void root(Real::Self& self, u32) {
        u64 end = self.now() + 20'000'000;
        while (asleep->load() < wait_for && self.now() < end) self.yield();
      }
      void drain(Real::Self&) {}
      void take(Real::Self&, u64) {}
    };
    std::atomic<u32> asleep{0};
    crew.machine.at = [&](Real::Self&, Spot spot) {
      if (spot == Spot::dozing) asleep++;
    };
    crew.conduct([&](Real::Self& self) {
      for (u32 i = 0; i < 40; i++) {
        asleep = 0;
        Long body{&asleep, steal ? 3u : 1u};
        crew.gang.run(self, Phase::mark, 4, 1, body);
        // All of them are back: sooner or later a phase has all four.
        Trees<Real> next(crew.gang, 300);
        next.yield_one_in = 3;
        auto all_join = [&] { return crew.gang.run(self, Phase::mark, 4, 4, next), crew.gang.last().joined == 4; };
        ASSERT_TRUE(within_a_minute(self, all_join)) << "a worker still sleeps in the phase before";
      }
    });
  }
}

} // namespace
} // namespace garner::test
