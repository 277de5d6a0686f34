// N17: a worker that is put aside just before it sleeps, until the next phase has begun, takes part in that phase, because
// the system compares the stamp before it sleeps. Without the compare the phase hangs: the second test shows that it does.
#include "crew.h"

namespace garner::test {
namespace {

// Worker 2 is held, once armed, where it is about to sleep, until a phase later than its own has begun.
struct Race {
  Crew<Real> crew;
  std::atomic<bool> armed{false}, held{false};
  std::atomic<u32> begun{0};        // number of the last phase in which a task has run: its stamp is set, its wake is made
  std::atomic<u32> entered_by_2{0}; // the last phase worker 2 took part in …
  std::atomic<u32> parked_after{0}; // … and the last one after which it went to sleep unheld

  static GangConfig config() {
    GangConfig c;
    c.workers = 3;
    c.join = JoinKind::fixed; // a phase needs all three
    return c;
  }
  Race() : crew(config()) {
    crew.machine.at = [this](Real::Self& self, Spot spot) {
      if (spot != Spot::parking || self.index != 2) return;
      if (!armed.exchange(false)) return void(parked_after = entered_by_2.load());
      held = true;
      while (begun.load() <= entered_by_2.load()) self.yield();
    };
  }
};

struct SignalsBegin : Draining<Real, SignalsBegin> {
  Race* race;
  u32 phase = 0;
  std::atomic<u32> tasks{0};
  SignalsBegin(Race& r) : Draining(r.crew.gang), race(&r) {}
  void enter(Real::Self& self) {
    if (self.index == 2) race->entered_by_2 = phase;
  }
  void root(Real::Self&, u32) {
    tasks++;
    race->begun = phase;
  }
  void take(Real::Self&, u64) {}
  void run(Real::Self& self) {
    phase++;
    gang->run(self, Phase::mark, 3, 3, *this);
  }
};

TEST(LazyParking, N17WorkerHeldBeforeItSleeps) {
  Race race;
  race.crew.conduct([&](Real::Self& self) {
    SignalsBegin body(race);
    for (u32 i = 0; i < 200; i++) {
      race.held = false;
      race.armed = true;
      body.run(self);
      hold_until(self, race.held);
      body.run(self);
      ASSERT_EQ(race.crew.gang.last().joined, 3u);
    }
    race.armed = false;
    EXPECT_EQ(body.tasks.load(), 1200u);
  });
}

TEST(LazyParking, N17WithoutTheCompareItHangs) {
  Race race;
  race.crew.machine.blind_worker = 2;
  race.crew.conduct([&](Real::Self& self) {
    SignalsBegin body(race);
    body.run(self);
    while (race.parked_after != 1) self.yield();
    race.armed = true;
    body.run(self);
    hold_until(self, race.held);
    race.crew.machine.blind = true;
    std::atomic<bool> finished{false}, hung{false};
    std::thread watch([&] {
      Real::Self me(race.crew.machine, 7);
      for (u32 i = 0; i < 300 && !finished; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      hung = !finished;
      race.crew.machine.blind = false;
      while (!finished) {
        race.crew.machine.rescue(me);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    body.run(self);
    finished = true;
    watch.join();
    EXPECT_TRUE(hung) << "the race that the stamp excludes did not happen, so the other test proves nothing";
  });
}

// Held before it sleeps over a whole phase in which it is not needed (late join): nothing hangs, and it comes back.
TEST(LazyParking, N17LateJoinHeldOverWholePhases) {
  GangConfig config;
  config.workers = 2;
  Crew<Real> crew(config);
  std::atomic<bool> armed{false}, held{false}, go{false};
  crew.machine.at = [&](Real::Self& self, Spot spot) {
    if (spot != Spot::parking || self.index != 1 || !armed.exchange(false)) return;
    held = true;
    hold_until(self, go);
  };
  crew.conduct([&](Real::Self& self) {
    Trees<Real> body(crew.gang, 300);
    body.yield_one_in = 3;
    for (u32 round = 0; round < 30; round++) {
      held = go = false;
      armed = true;
      while (!held) crew.gang.run(self, Phase::mark, 2, 2, body);
      for (u32 i = 0; i < 3; i++) {
        crew.gang.run(self, Phase::mark, 2, 2, body);
        ASSERT_EQ(crew.gang.last().joined, 1u);
      }
      go = true;
      auto both_join = [&] { return crew.gang.run(self, Phase::mark, 2, 2, body), crew.gang.last().joined == 2; };
      ASSERT_TRUE(within_a_minute(self, both_join)) << "the worker slept through its wake";
    }
  });
}

} // namespace
} // namespace garner::test
