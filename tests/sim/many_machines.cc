// Two machines on two threads do not meet, one may run inside a fiber of another, and fibers may start fibers by the thousand.
#include <gtest/gtest.h>

#include <thread>

#include "team.h"

namespace garner {
namespace {

u64 busy(u64 seed) {
  SimConfig config;
  config.picker = sim::Picker::seeded;
  config.seed = seed;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u64> sum{0};
  for (u32 i = 0; i < 4; i++)
    team.start([&, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < 5000; k++) {
        sum.fetch_add_relaxed(k);
        if (k % 50 == 0) self.yield();
      }
    });
  EXPECT_EQ(machine.run().end, sim::End::finished);
  return machine.digest();
}

TEST(ManyMachines, OnTwoThreads) {
  const u64 one = busy(1), two = busy(2);
  u64 first = 0, second = 0;
  std::thread other([&] { second = busy(2); });
  first = busy(1);
  other.join();
  EXPECT_EQ(first, one);
  EXPECT_EQ(second, two);
}

TEST(ManyMachines, OneInsideAnother) {
  const u64 alone = busy(5);
  Sim outer(SimConfig{});
  Team team(outer);
  Sim::Atomic<u32> done{0};
  for (u32 i = 0; i < 2; i++)
    team.start([&] {
      EXPECT_EQ(busy(5), alone);
      done.fetch_add_relaxed(1); // the outer machine's again
    });
  EXPECT_EQ(outer.run().end, sim::End::finished);
  EXPECT_EQ(done.load_relaxed(), 2u);
  EXPECT_EQ(outer.steps(), 4u); // two additions, two ends
}

TEST(ManyMachines, FibersStartFibersAndStacksAreReused) {
  Sim machine(SimConfig{});
  u32 started = 0;
  struct Chain {
    Sim& machine;
    u32& started;
    static void link(void* at) {
      auto& chain = *static_cast<Chain*>(at);
      if (++chain.started == 3000) return;
      EXPECT_TRUE(chain.machine.start(&link, at));
    }
  } chain{machine, started};
  const usize before = own_bytes();
  machine.start(&Chain::link, &chain);
  EXPECT_EQ(machine.run().end, sim::End::finished);
  EXPECT_EQ(started, 3000u);
  EXPECT_LT(own_bytes() - before, 16 * MiB); // a stack each would be 750 MiB
}

TEST(ManyMachines, VerbsOutsideARunCostNothing) {
  Sim machine(SimConfig{});
  const word at = machine.reserve(64 * KiB, 4096);
  Sim::Self self(machine, 0);
  Sim::Atomic<u32> word_{3};
  self.store(Slot{at}, Ref{5});
  EXPECT_EQ(self.load(Slot{at}).at, 5u);
  EXPECT_EQ(self.forward(Header{at}, 5, 9), 5u);
  EXPECT_EQ(self.header(Header{at}), 9u);
  EXPECT_EQ(word_.fetch_add_relaxed(1), 3u);
  self.copy(at + 128, at, 64);
  self.pause();
  machine.park(self, word_, 4);
  EXPECT_EQ(self.now(), 0u);
  EXPECT_EQ(machine.steps(), 0u);
}

} // namespace
} // namespace garner
