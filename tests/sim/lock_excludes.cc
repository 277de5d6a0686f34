// The lock lets one fiber in at a time, under 10,000 seeds with faults, under every schedule of a small case, and in virtual time.
#include <gtest/gtest.h>

#include <array>

#include "base/atomic.h"
#include "machine/sim/explore.h"
#include "team.h"

namespace garner {
namespace {

TEST(LockExcludes, UnderTenThousandSeeds) {
  SimConfig config;
  Sim machine(config);
  for (u64 seed = 1; seed <= 10'000; seed++) {
    config.picker = seed % 10 == 0 ? sim::Picker::earliest : sim::Picker::seeded;
    config.seed = seed;
    config.faults = sim::FaultPlan::drawn(seed);
    machine.reset(config);
    Team team(machine);
    Sim::Lock lock;
    Sim::Atomic<u32> inside{0};
    u32 overlaps = 0, count = 0;
    for (u32 i = 0; i < 3; i++) {
      team.start([&, i] {
        Sim::Self self(machine, i);
        for (u32 k = 0; k < 4; k++) {
          if (self.random.one_in(4)) {
            if (!lock.try_lock()) continue;
          } else {
            lock.lock();
          }
          overlaps += inside.fetch_add_relaxed(1) != 0;
          count++;
          overlaps += inside.fetch_sub_relaxed(1) != 1;
          lock.unlock();
        }
      });
    }
    const Sim::Outcome outcome = machine.run();
    ASSERT_EQ(outcome.end, sim::End::finished) << "seed " << seed << ": " << outcome.text;
    ASSERT_EQ(overlaps, 0u) << "seed " << seed;
    ASSERT_GE(count, 1u) << "seed " << seed;
  }
}

struct ThreeEnter {
  explicit ThreeEnter(Sim& machine) {
    for (u32 i = 0; i < 3; i++) machine.start(&enter, this);
  }
  static void enter(void* at) {
    auto& one = *static_cast<ThreeEnter*>(at);
    Locked<Sim::Lock> held(one.lock);
    one.count.store_relaxed(one.count.load_relaxed() + 1); // safe inside only
  }
  bool ok() { return count.load_relaxed() == 3; }
  Sim::Lock lock;
  Sim::Atomic<u32> count{0};
};

// The same case as a model: how many orders of attempts and operations there are. `at` is each fiber's next step: 0 an attempt to
// lock, 1 the load, 2 the store, 3 the unlock, 4 none; `waits` are those that found the lock held and may not try again yet.
u64 orders(std::array<u32, 3> at, u32 waits, int holder) {
  u64 count = 0;
  bool any = false;
  for (u32 f = 0; f < 3; f++) {
    if (at[f] == 4 || (waits >> f & 1) != 0) continue;
    any = true;
    auto next = at;
    if (at[f] == 0 && holder >= 0) {
      count += orders(next, waits | 1u << f, holder);
      continue;
    }
    next[f]++;
    count += orders(next, at[f] == 3 ? 0 : waits, at[f] == 0 ? int(f) : (at[f] == 3 ? -1 : holder));
  }
  return any ? count : 1;
}

TEST(LockExcludes, UnderEverySchedule) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration all = sim::explore<ThreeEnter>(limits);
  EXPECT_FALSE(all.failed()) << all.text();
  EXPECT_TRUE(all.exhausted());
  EXPECT_EQ(all.schedules(), orders({0, 0, 0}, 0, -1));
}

TEST(LockExcludes, WaitersPayForTheirTurn) {
  SimConfig config;
  config.costs.pause = 1'000'000;
  Sim machine(config);
  Team team(machine);
  Sim::Lock lock;
  for (u32 i = 0; i < 8; i++) {
    team.start([&, i] {
      Sim::Self self(machine, i);
      Locked<Sim::Lock> held(lock);
      for (u32 k = 0; k < 10; k++) self.pause();
    });
  }
  const u64 ns = machine.run().ns;
  EXPECT_GE(ns, 80'000u); // ten pauses each, one after the other
  EXPECT_LE(ns, 90'000u);
}

} // namespace
} // namespace garner
