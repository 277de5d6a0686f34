// System calls that hold a lock of the kernel wait for each other; workers sit where they should; shared cores slow down; large pages.
#include <gtest/gtest.h>

#include "shapes.h"
#include "team.h"

namespace garner {
namespace {

TEST(CallsAndSeats, ChangesOfTheAddressSpaceComeOneAfterTheOther) {
  const sim::Shape shape = line_of_nodes(2, 8);
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(MiB, 4096);
  for (u32 w = 0; w < 16; w++)
    team.start([&] {
      for (u32 k = 0; k < 10; k++) EXPECT_EQ(machine.bind(at, 4096, k % 2), Placed::yes);
    });
  EXPECT_EQ(machine.run().ns, 16 * 10 * shape.costs.bind_call / 1000);
}

TEST(CallsAndSeats, SleepersOnOneWordPassItsLock) {
  sim::Shape shape = line_of_nodes(1, 16);
  shape.costs.futex_lock = 150'000;
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u32> at{0};
  for (u32 w = 0; w < 16; w++)
    team.start([&, w] {
      Sim::Self self(machine, w);
      machine.park(self, at, 1); // finds another value: the call alone
    });
  const u64 expected = 16 * shape.costs.futex_lock + shape.costs.park_call - shape.costs.futex_lock;
  EXPECT_NEAR(double(machine.run().ns), double(expected / 1000), 200); // and each looks at the word
}

TEST(CallsAndSeats, AskingForANodeIsACall) {
  const sim::Shape shape = line_of_nodes(2, 1);
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(MiB, 4096);
  machine.bind(at, MiB, 1);
  team.start([&] {
    Sim::Self self(machine, 0);
    EXPECT_EQ(machine.ask_node(at), Sim::kNoNode);
    self.store(Slot{at}, Ref{1});
    const u64 before = machine.now();
    EXPECT_EQ(machine.ask_node(at), 1u);
    EXPECT_EQ(machine.now() - before, (shape.costs.query_call + shape.costs.page_query + shape.costs.clock_read) / 1000);
    const word ten[10] = {at, at, at, at, at, at, at, at, at, at};
    u8 nodes[10];
    const u64 again = machine.now();
    machine.ask_nodes(ten, 10, nodes);
    EXPECT_EQ(nodes[9], 1);
    EXPECT_EQ(machine.now() - again, (shape.costs.query_call + 10 * shape.costs.page_query + shape.costs.clock_read) / 1000) << "one call for them all";
  });
  machine.run();
}

TEST(CallsAndSeats, N25WorkersGoRoundNodesThenCoresThenThreads) {
  sim::Shape shape = line_of_nodes(3, 2);
  shape.node[1].cores = 0; // memory alone
  shape.threads = 2;
  shape.busy_percent = 150;
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  EXPECT_EQ(machine.processors(), 8u);
  const u32 nodes[] = {0, 2, 0, 2, 0, 2, 0, 2}, cores[] = {0, 2, 1, 3, 0, 2, 1, 3};
  Team team(machine);
  for (u32 w = 0; w < 8; w++)
    team.start([&, w] {
      Sim::Self self(machine, w);
      EXPECT_EQ(self.node, nodes[w]);
      EXPECT_EQ(machine.fabric().core_of_fiber(machine.current_fiber()), cores[w]);
      EXPECT_FALSE(machine.pin(self, 1));
      EXPECT_TRUE(machine.pin(self, 2));
      EXPECT_EQ(machine.current_node(), 2u);
    });
  EXPECT_EQ(machine.run().end, sim::End::finished);
}

TEST(CallsAndSeats, ThreadsOfOneCoreSlowEachOtherDown) {
  sim::Shape shape = line_of_nodes(1, 1);
  shape.threads = 2;
  shape.busy_percent = 150;
  SimConfig config;
  config.shape = &shape;
  auto ns = [&](u32 fibers) {
    Sim machine(config);
    Team team(machine);
    for (u32 w = 0; w < fibers; w++)
      team.start([&, w] {
        Sim::Self self(machine, w);
        for (u32 k = 0; k < 1000; k++) self.pause();
      });
    return machine.run().ns;
  };
  const u64 alone = ns(1);
  EXPECT_NEAR(double(ns(2)), 1.5 * double(alone), 0.01 * double(alone));
  EXPECT_NEAR(double(ns(4)), 3.0 * double(alone), 0.02 * double(alone)); // four on two threads
}

TEST(CallsAndSeats, LargePagesFaultOnceAndInterleaveInTheirSize) {
  sim::Shape shape = line_of_nodes(2, 1);
  shape.page_bytes = 2 * MiB;
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(8 * MiB, 2 * MiB);
  machine.interleave(at, 8 * MiB);
  team.start([&] {
    Sim::Self self(machine, 0);
    for (usize k = 0; k < 4; k++) self.store(Slot{at + k * 2 * MiB}, Ref{1});
  });
  machine.run();
  for (usize k = 0; k < 4; k++) EXPECT_EQ(machine.node_of_page(at + k * 2 * MiB + MiB), k % 2);
}

TEST(CallsAndSeats, InterleavingKeepsToTheFastMemory) {
  sim::Shape shape = line_of_nodes(3, 1);
  shape.memories = 2;
  shape.memory[1] = shape.memory[0];
  shape.memory[1].tier = 1;
  shape.node[1] = {0, 1};
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(64 * 4096, 4096);
  machine.interleave(at, 64 * 4096);
  team.start([&] {
    Sim::Self self(machine, 0);
    self.write(at, 64 * 4096);
  });
  machine.run();
  for (usize k = 0; k < 64; k++) EXPECT_EQ(machine.node_of_page(at + k * 4096), k % 2 == 0 ? 0u : 2u);
}

} // namespace
} // namespace garner
