// What workers do in a phase and between two, told by the spots they pass and the calls they make. N4: between phases nobody works, and the
// conductor sleeps while they do. N6: tasks are taken as root*, steal{N}, final. N17: one wake at the start, one at the end, no other call.
#include <array>
#include <mutex>

#include "crew.h"

namespace garner::test {
namespace {

// Also tells who parks and who wakes.
struct Overheard : Real {
  using Real::Real;
  std::function<void(Self&)> parking, waking;
  void park(Self& self, Atomic<u32>& futex, u32 expected) {
    if (parking) parking(self);
    Real::park(self, futex, expected);
  }
  void wake(Self& self, Atomic<u32>& futex, u32 sleepers) {
    if (waking) waking(self);
    Real::wake(self, futex, sleepers);
  }
};

constexpr u32 kWorkers = 4;

// Worker 2 is held up after it has left termination, fixed with futexes until the phase is over. With a monitor the phase waits for it; with futexes it comes late, and then
// only asks the queue in vain (fixed), gives up joining (late), and goes to sleep.
TEST(PhaseTrace, N4BetweenPhasesNobodyWorks) {
  for (const GangConfig& config : all_configs(kWorkers)) {
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    const bool monitor = config.sync == SyncKind::monitor, fixed = config.join == JoinKind::fixed;
    std::atomic<bool> between{false};
    std::atomic<u32> asked{0}, other{0}, wrong{0}, begun{0}, over{0};
    crew.machine.at = [&](Real::Self& self, Spot spot) {
      if (between && spot != Spot::parking) {
        const bool works = spot == Spot::joined || spot == Spot::root || spot == Spot::tracing || spot == Spot::stealing || (spot == Spot::asking && !fixed);
        wrong += works || monitor;
        asked += spot == Spot::asking && self.index == 2;
        other++;
      }
      if (spot != Spot::left || self.index != 2) return;
      if (monitor || !fixed) return hold_ms(self, 2);
      within_a_minute(self, [&, phase = begun.load()] { return over >= phase; });
    };
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 40);
      for (u32 i = 0; i < 4; i++) {
        between = false;
        begun++;
        crew.gang.run(self, Phase::mark, kWorkers, 3, body);
        between = true;
        over++;
        hold_ms(self, 3);
        if (!monitor && fixed) EXPECT_TRUE(within_a_minute(self, [&] { return asked > i; })) << "nobody ever came late: the test shows nothing";
      }
      between = false;
    });
    EXPECT_EQ(wrong.load(), 0u);
    if (monitor) EXPECT_EQ(other.load(), 0u);
  }
}

// Each task goes on until the conductor's thread is about to sleep, and nothing of the phase is done by that thread.
TEST(PhaseTrace, N4TheConductorSleepsWhileTheyWork) {
  struct UntilAsleep : Draining<Overheard, UntilAsleep> {
    std::atomic<bool>* asleep;
    UntilAsleep(Gang<Overheard>& g, std::atomic<bool>& a) : Draining(g), asleep(&a) {}
    void root(Overheard::Self& self, u32) {
      within_a_minute(self, [&] { return asleep->load(); });
    }
    void take(Overheard::Self&, u64) {}
  };
  for (const GangConfig& config : all_configs(kWorkers)) {
    if (config.conductor == Conductor::works) continue;
    SCOPED_TRACE(describe(config));
    Crew<Overheard> crew(config);
    const std::thread::id conductor = std::this_thread::get_id();
    std::atomic<bool> asleep{false};
    std::atomic<u32> by_conductor{0};
    crew.machine.parking = [&](auto&) {
      if (std::this_thread::get_id() == conductor) asleep = true;
    };
    crew.machine.at = [&](auto&, Spot) { by_conductor += std::this_thread::get_id() == conductor; };
    crew.conduct([&](Overheard::Self& self) {
      UntilAsleep body(crew.gang, asleep);
      for (u32 i = 0; i < 5; i++) {
        asleep = false;
        crew.gang.run(self, Phase::mark, kWorkers, 3, body);
        ASSERT_TRUE(asleep.load()) << "the conductor stayed awake";
      }
    });
    EXPECT_EQ(by_conductor.load(), 0u);
  }
}

// Who asks after somebody got a steal task gets no root task; each worker gets one steal task; the final task comes after all of those.
TEST(PhaseTrace, N6RootTasksThenAStealTaskEachThenTheFinalOne) {
  for (const GangConfig& config : all_configs(kWorkers)) {
    if (config.join == JoinKind::late || config.term_exit == TermExit::literal) continue; // literal: who leaves early takes others' steal tasks
    SCOPED_TRACE(describe(config));
    enum Stage : u32 { roots, steals, final };
    struct Seen {
      u32 stage = roots, tasks = 0, finals = 0, wrong = 0;
      std::array<u32, kWorkers> asked_in{}, steal_tasks{};
      std::array<bool, kWorkers> asked{};
    } seen;
    std::mutex lock;
    Crew<Real> crew(config);
    crew.machine.at = [&](Real::Self& self, Spot spot) {
      std::lock_guard guard(lock);
      const u32 w = self.index;
      auto got = [&](Stage what) { // a task of that kind
        seen.wrong += seen.asked_in[w] > u32(what);
        seen.stage = max_of(seen.stage, u32(what));
        seen.asked[w] = false;
      };
      switch (spot) {
        case Spot::asking: seen.asked[w] = true, seen.asked_in[w] = seen.stage; break;
        case Spot::root: got(roots), seen.tasks++; break;
        case Spot::stealing:
          if (seen.asked[w]) got(steals), seen.steal_tasks[w]++;
          break;
        case Spot::final:
          got(final), seen.finals++;
          for (u32 n : seen.steal_tasks) seen.wrong += n != 1;
          break;
        default: break;
      }
    };
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 30);
      for (u32 phase = 0; phase < 200; phase++) {
        {
          std::lock_guard guard(lock);
          seen = {};
        }
        crew.gang.run(self, Phase::mark, kWorkers, phase % 7, body);
        std::lock_guard guard(lock);
        ASSERT_EQ(seen.tasks, phase % 7);
        ASSERT_EQ(seen.finals, 1u);
        for (u32 n : seen.steal_tasks) ASSERT_EQ(n, 1u);
        ASSERT_EQ(seen.wrong, 0u) << "phase " << phase;
      }
    });
  }
}

// Lazy parking: the conductor wakes all at once at the start, the final worker wakes the conductor, and no worker calls for anything else but its sleep.
TEST(PhaseTrace, N17OnlyTheFinalWorkerWakesAndNobodyElseCalls) {
  constexpr u32 kPhases = 200;
  for (const GangConfig& config : all_configs(kWorkers)) {
    if (config.sync != SyncKind::futex || config.join != JoinKind::fixed || config.conductor != Conductor::waits || config.task_queue == TaskQueueKind::monitor) continue;
    SCOPED_TRACE(describe(config));
    Crew<Overheard> crew(config);
    const std::thread::id conductor = std::this_thread::get_id();
    struct Calls { std::atomic<u32> parks{0}, sleeps{0}, wakes{0}, finals{0}; };
    Calls calls[kWorkers];
    std::atomic<u32> wakes_of_conductor{0};
    auto is_conductor = [&] { return std::this_thread::get_id() == conductor; };
    crew.machine.parking = [&](auto& self) {
      if (!is_conductor()) calls[self.index].parks++;
    };
    crew.machine.waking = [&](auto& self) { (is_conductor() ? wakes_of_conductor : calls[self.index].wakes)++; };
    crew.machine.at = [&](auto& self, Spot spot) {
      if (spot == Spot::parking) calls[self.index].sleeps++;
      if (spot == Spot::final) calls[self.index].finals++;
    };
    crew.conduct([&](Overheard::Self& self) {
      Trees<Overheard> body(crew.gang, 60);
      for (u32 i = 0; i < kPhases; i++) crew.gang.run(self, Phase::mark, kWorkers, 3, body);
      EXPECT_EQ(wakes_of_conductor.load(), kPhases);
      EXPECT_EQ(crew.gang.gc_lock(self).acquisitions + crew.gang.vm_lock(self).acquisitions, 0u);
    });
    u32 wakes = 0, sleeps = 0; // all threads have ended
    for (const Calls& c : calls) {
      EXPECT_EQ(c.wakes.load(), c.finals.load());
      EXPECT_EQ(c.parks.load(), c.sleeps.load());
      wakes += c.wakes, sleeps += c.sleeps;
    }
    EXPECT_EQ(wakes, kPhases);
    EXPECT_GT(sleeps, 0u);
  }
}

} // namespace
} // namespace garner::test
