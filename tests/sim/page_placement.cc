// A page comes from the node that touches it first, from the node it is bound to, or from all nodes in turn; far pages cost more.
#include <gtest/gtest.h>

#include "team.h"

namespace garner {
namespace {

constexpr usize kPages = 64;

SimConfig four_nodes() {
  SimConfig config;
  config.nodes = 4;
  return config;
}

TEST(PagePlacement, FirstTouch) {
  Sim machine(four_nodes());
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, 4096);
  EXPECT_EQ(machine.node_of_page(at), Sim::kNoNode);
  EXPECT_EQ(load_word(at), 0u);
  team.start([&] {
    Sim::Self self(machine, 2);
    EXPECT_EQ(self.node, 2u);
    EXPECT_EQ(machine.current_node(), 2u);
    self.store(Slot{at}, Ref{1});
    EXPECT_TRUE(machine.pin(self, 3));
    EXPECT_FALSE(machine.pin(self, 4));
    self.load(Slot{at});                              // touched already
    self.write(at + 4096, 3 * 4096);                  // pages 1-3
    self.header(Header{at + 4 * 4096});               // page 4
    self.copy(at + 5 * 4096 + 4000, at, 200);         // pages 5 and 6
  });
  machine.run();
  EXPECT_EQ(machine.node_of_page(at), 2u);
  for (usize page = 1; page <= 6; page++) EXPECT_EQ(machine.node_of_page(at + page * 4096), 3u) << page;
  EXPECT_EQ(machine.node_of_page(at + 7 * 4096), Sim::kNoNode);
  EXPECT_EQ(machine.node_of_page(0), Sim::kNoNode);
}

TEST(PagePlacement, BindAndInterleaveSurviveDiscard) {
  Sim machine(four_nodes());
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, MiB);
  EXPECT_TRUE(is_aligned(at, MiB));
  EXPECT_EQ(machine.bind(at, 8 * 4096, 1), Placed::yes);
  EXPECT_EQ(machine.interleave(at + 8 * 4096, 8 * 4096), Placed::yes);
  EXPECT_EQ(machine.bind(at, 4096, 4), Placed::refused);
  for (u32 round = 0; round < 2; round++) {
    team.start([&] {
      Sim::Self self(machine, 0);
      for (usize page = 0; page < 16; page++) self.store(Slot{at + page * 4096}, Ref{page + 1});
    });
    machine.run();
    for (usize page = 0; page < 8; page++) EXPECT_EQ(machine.node_of_page(at + page * 4096), 1u);
    for (usize page = 8; page < 16; page++) EXPECT_EQ(machine.node_of_page(at + page * 4096), page % 4);
    machine.discard(at, 16 * 4096);
    EXPECT_EQ(machine.node_of_page(at), Sim::kNoNode);
    EXPECT_EQ(load_word(at + 4096), 0u);
  }
  machine.release(at, kPages * 4096);
}

TEST(PagePlacement, OneNodeHasNothingToPlace) {
  Sim machine(SimConfig{});
  const word at = machine.reserve(4096, 4096);
  EXPECT_EQ(machine.bind(at, 4096, 0), Placed::one_node);
  EXPECT_EQ(machine.interleave(at, 4096), Placed::one_node);
}

TEST(PagePlacement, WorkersAreSpreadRoundTheNodes) {
  Sim machine(four_nodes());
  for (u32 k = 0; k < 12; k++) EXPECT_EQ(machine.node_of_worker(k), k % 4);
}

TEST(PagePlacement, FarPagesCostMoreAndTheFirstTouchAFault) {
  const SimConfig config = four_nodes();
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, 4096);
  machine.bind(at, 4096, 0);
  machine.bind(at + 4096, 4096, 1);
  u64 ns[3];
  team.start([&] {
    Sim::Self self(machine, 0);
    auto scan = [&](word from) {
      const u64 before = self.now();
      self.read(from, 4096);
      return self.now() - before - config.costs.clock_read / 1000;
    };
    ns[2] = scan(at) - scan(at);
    ns[0] = scan(at);
    scan(at + 4096);
    ns[1] = scan(at + 4096);
  });
  machine.run();
  EXPECT_EQ(ns[0], 64 * config.costs.read_line / 1000);
  EXPECT_EQ(ns[1], 64 * config.costs.read_line / 1000 * config.costs.remote_percent / 100);
  EXPECT_EQ(ns[2], config.costs.page_fault / 1000);
}

} // namespace
} // namespace garner
