// A line that many cores write is passed on one by one at the table's price; one that they read is shared; caches forget.
#include <gtest/gtest.h>

#include "shapes.h"
#include "team.h"

namespace garner {
namespace {

struct Operated { u64 ps, transfers, value; };
// Each of so many workers operates on one word `each` times.
template <class F> Operated operated(const sim::Shape& shape, u32 workers, u32 each, F&& operate) {
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u64> word;
  for (u32 w = 0; w < workers; w++)
    team.start([&, w] {
      Sim::Self self(machine, w);
      for (u32 k = 0; k < each; k++) operate(word);
    });
  machine.run();
  return {machine.now() * 1000, machine.fabric().transfers(), word.load_relaxed()};
}

u64 increments_ps(const sim::Shape& shape, u32 workers, u32 each) {
  const Operated done = operated(shape, workers, each, [](Sim::Atomic<u64>& counter) { counter.fetch_add_relaxed(1); });
  EXPECT_EQ(done.value, u64(workers) * each);
  EXPECT_GE(done.transfers + workers, workers == 1 ? 0 : u64(workers) * each);
  return done.ps;
}

TEST(LinesBetweenCores, AContendedCounterCostsTheTablesPriceForEachTransfer) {
  const sim::Shape near = line_of_nodes(1, 16);
  EXPECT_NEAR(double(increments_ps(near, 16, 500)), 16 * 500 * double(near.distance[0].swap_dirty), 0.01 * 16 * 500 * 60'000);
  // Workers of two nodes in turn: every transfer passes the link.
  const sim::Shape far = line_of_nodes(2, 1);
  EXPECT_NEAR(double(increments_ps(far, 2, 500)), 2 * 500 * double(far.distance[1].swap_dirty), 0.01 * 2 * 500 * 110'000);
  // Alone it stays in the own cache.
  EXPECT_NEAR(double(increments_ps(near, 1, 5000)), 5000 * double(near.costs.atomic_own), 200'000);
}

// What an operation waits for: a store that orders nothing after it is priced as a plain one; a store with seq_cst is an exchange to the processor, and waits.
TEST(LinesBetweenCores, AStoreIsPricedAsASwapOnlyWithSeqCst) {
  const sim::Shape shape = line_of_nodes(1, 2);
  constexpr u32 kEach = 2000;
  auto price_ps = [&](u32 workers, auto&& operate) { return double(operated(shape, workers, kEach, operate).ps) / (workers * kEach); };
  const auto relaxed = [](Sim::Atomic<u64>& w) { w.store_relaxed(1); };
  const auto release = [](Sim::Atomic<u64>& w) { w.store_release(1); };
  const auto seq_cst = [](Sim::Atomic<u64>& w) { w.store_seq_cst(1); };
  const auto add = [](Sim::Atomic<u64>& w) { w.fetch_add_relaxed(1); };
  const double own_store = double(shape.costs.slot_load), own_swap = double(shape.costs.atomic_own);
  ASSERT_GT(own_swap, 3 * own_store);
  EXPECT_NEAR(price_ps(1, relaxed), own_store, 100);
  EXPECT_NEAR(price_ps(1, release), own_store, 100);
  EXPECT_NEAR(price_ps(1, seq_cst), own_swap, 100);
  EXPECT_NEAR(price_ps(1, add), own_swap, 100);
  const double taken_store = double(shape.distance[0].store_dirty), taken_swap = double(shape.distance[0].swap_dirty); // both write it in turn
  EXPECT_NEAR(price_ps(2, relaxed), taken_store, 600);
  EXPECT_NEAR(price_ps(2, release), taken_store, 600);
  EXPECT_NEAR(price_ps(2, seq_cst), taken_swap, 600);
  EXPECT_NEAR(price_ps(2, add), taken_swap, 600);
}

// N15: of those that wait for a lock each tries again when it is let go, so its line passes through all of them: a hand-over costs more the
// more wait, and with the number of acquisitions fixed the whole takes longer with more workers.
TEST(LinesBetweenCores, N15AHotLockCollapses) {
  const sim::Shape shape = line_of_nodes(4, 12);
  auto ps = [&](u32 workers) {
    SimConfig config;
    config.shape = &shape;
    Sim machine(config);
    Team team(machine);
    Sim::Lock lock;
    for (u32 w = 0; w < workers; w++)
      team.start([&, w] {
        Sim::Self self(machine, w);
        for (u32 k = 0; k < 960 / workers; k++) {
          lock.lock();
          self.pause();
          lock.unlock();
        }
      });
    machine.run();
    return machine.now() * 1000;
  };
  const u64 one = ps(1), eight = ps(8), all = ps(48);
  EXPECT_GT(eight, 5 * one);
  EXPECT_GT(all, 3 * eight);
}

struct Prices { u64 dirty, clean, own, upgrade; };
Prices prices_of(u32 worker) {
  const sim::Shape shape = line_of_nodes(3, 2);
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(64 * KiB, 4096);
  Prices p{};
  const u64 clock = shape.costs.clock_read / 1000;
  team.start([&] { Sim::Self(machine, 0).store(Slot{at}, Ref{1}); });
  machine.run();
  team.start([&] {
    Sim::Self self(machine, worker);
    auto load = [&] {
      const u64 before = machine.now();
      self.load(Slot{at});
      return machine.now() - before - clock;
    };
    p.dirty = load();
    p.own = load();
  });
  machine.run();
  team.start([&] { // the other core of that node
    Sim::Self self(machine, worker);
    const u64 before = machine.now();
    self.store(Slot{at}, Ref{2});
    p.upgrade = machine.now() - before - clock;
  });
  machine.run();
  return p;
}

TEST(LinesBetweenCores, ADirtyLineComesFromItsWriterAtTheDistancesPrice) {
  const sim::Shape shape = line_of_nodes(3, 2);
  for (u32 worker : {3u, 1u, 2u}) { // node 0, 1, 2
    const Prices p = prices_of(worker);
    EXPECT_EQ(p.dirty, shape.distance[worker % 3].load_dirty / 1000) << worker;
    EXPECT_EQ(p.own, 2u);
    EXPECT_EQ(p.upgrade, shape.distance[0].store_clean / 1000) << "two have it: a write must take it from the other";
  }
}

// A line is written back once for each time it came from memory and was changed, also when it was read first, as the header of an object
// that is evacuated is: without that, half of what forwarding costs the node of eden would be missing.
TEST(LinesBetweenCores, ALineThatWasReadAndThenChangedGoesBackToItsMemory) {
  const sim::Shape shape = line_of_nodes(2, 2); // 1024 lines of each core's own, 4096 shared
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(2 * MiB, 4096);
  u64 bytes = 0;
  auto asked = [&](auto what) {
    team.start([&] {
      Sim::Self self(machine, 1); // node 1; the pages are node 0's
      const u64 before = machine.fabric().asked(1, 0);
      what(self);
      bytes = machine.fabric().asked(1, 0) - before;
    });
    machine.run();
    return bytes;
  };
  team.start([&] {
    Sim::Self self(machine, 0);
    for (word page = at; page < at + 2 * MiB; page += kPageBytes) self.store(Slot{page + 2048}, Ref{1}); // another line of it
  });
  machine.run();
  EXPECT_EQ(asked([&](Sim::Self& self) { self.load(Slot{at}); }), 64u);
  EXPECT_EQ(asked([&](Sim::Self& self) { self.store(Slot{at}, Ref{1}); }), 64u) << "found in the own cache, but it will come back";
  EXPECT_EQ(asked([&](Sim::Self& self) { self.store(Slot{at}, Ref{2}); }), 0u) << "paid";
  EXPECT_EQ(asked([&](Sim::Self& self) { self.forward(Header{at + kPageBytes}, 0, 1); }), 128u) << "read and changed at once";
  EXPECT_EQ(asked([&](Sim::Self& self) { self.touch(at + 2 * kPageBytes), self.forward(Header{at + 2 * kPageBytes}, 0, 1); }), 128u);
  EXPECT_EQ(asked([&](Sim::Self& self) { self.write(at + 3 * kPageBytes, 256), self.read(at + 3 * kPageBytes, 256), self.write(at + 3 * kPageBytes, 256); }), 512u);
  asked([&](Sim::Self& self) { for (word line = at + MiB; line < at + 2 * MiB; line += 64) self.load(Slot{line}); }); // all else goes out
  EXPECT_EQ(asked([&](Sim::Self& self) { self.load(Slot{at}), self.store(Slot{at}, Ref{3}); }), 128u) << "it came from memory anew";
  // Handed on changed from core to core, it is owed once.
  team.start([&] { Sim::Self(machine, 3).store(Slot{at}, Ref{4}); });
  const u64 before = machine.fabric().asked(1, 0);
  machine.run();
  EXPECT_EQ(machine.fabric().asked(1, 0), before);
  EXPECT_TRUE(machine.fabric().conserves());
}

TEST(LinesBetweenCores, AWriteMakesEveryCopyStale) {
  const sim::Shape shape = line_of_nodes(1, 4);
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(4096, 4096);
  auto load_ns = [&](u32 worker) {
    u64 ns = 0;
    team.start([&] {
      Sim::Self self(machine, worker);
      const u64 before = machine.now();
      self.load(Slot{at});
      ns = machine.now() - before - shape.costs.clock_read / 1000;
    });
    machine.run();
    return ns;
  };
  team.start([&] { Sim::Self(machine, 0).store(Slot{at}, Ref{1}); });
  machine.run();
  for (u32 worker : {1u, 2u, 3u}) EXPECT_GT(load_ns(worker), 2u);
  for (u32 worker : {0u, 1u, 2u, 3u}) EXPECT_EQ(load_ns(worker), 2u);
  team.start([&] { Sim::Self(machine, 2).store(Slot{at}, Ref{1}); });
  machine.run();
  EXPECT_EQ(load_ns(2), 2u);
  for (u32 worker : {0u, 1u, 3u}) EXPECT_GT(load_ns(worker), 2u);
}

TEST(LinesBetweenCores, CachesForgetTheLeastRecentlyUsed) {
  const sim::Shape shape = line_of_nodes(1, 1); // 1024 lines of its own, 4096 shared
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(2 * MiB, 4096);
  team.start([&] {
    Sim::Self self(machine, 0);
    auto scan_ns = [&](u64 lines) {
      const u64 before = machine.now();
      for (u64 k = 0; k < lines; k++) self.load(Slot{at + k * 64});
      return (machine.now() - before) / lines;
    };
    scan_ns(20'000); // faults, and everything old goes out
    scan_ns(512);
    EXPECT_LE(scan_ns(512), 2u);
    scan_ns(2048);
    EXPECT_EQ(scan_ns(2048), 20u) << "too many for the own cache, found in the shared one";
    scan_ns(16'000);
    EXPECT_GE(scan_ns(16'000), 99u) << "too many for both";
  });
  machine.run();
}

} // namespace
} // namespace garner
