// Figures of a calibrated machine that contradict each other: which one yields, and that the file says so.
#include <gtest/gtest.h>

#include "machine_draft.h"
#include "machine_file.h"
#include "machine_order.h"

namespace garner::tool {
namespace {

// Two nodes of two cores each, as calibration leaves them: everything of `values` was measured.
StrictJson calibrated(const std::vector<std::pair<std::string, double>>& values) {
  MachineFacts facts;
  facts.read_from = "test";
  for (u32 n = 0; n < 2; n++) facts.nodes.push_back({.id = int(n), .cores = 2, .memory_bytes = GiB, .distance = {n == 0 ? 10u : 21u, n == 0 ? 21u : 10u}});
  StrictJson machine = draft_machine(facts, "two");
  for (const auto& [path, value] : values) set_value(machine, path, value, "measured: here");
  return machine;
}
std::string source_of(const StrictJson& machine, const std::string& path) { return machine["sources"][path].get<std::string>(); }

const std::string kOwn = "core.own_hit_ns", kShared = "core.shared_hit_ns", kNear = "distances.distance 10.memory_ns", kFar = "distances.distance 21.memory_ns", kLine = "distances.distance 10.load_dirty_ns",
                  kRead = "memories.dram.read_gb_per_s", kWrite = "memories.dram.write_gb_per_s";

TEST(MachineOrder, WhatAgreesStaysAsItIs) {
  StrictJson machine = calibrated({{kOwn, 1}, {kShared, 12}, {kNear, 90}, {kFar, 140}, {kRead, 20}, {kWrite, 11}});
  const StrictJson before = machine;
  EXPECT_TRUE(broken_orders(machine).empty());
  EXPECT_TRUE(put_in_order(machine).empty());
  EXPECT_EQ(machine, before);
}

TEST(MachineOrder, TheFigureThatCannotBeTakesTheOthersValue) {
  StrictJson machine = calibrated({{kOwn, 1}, {kShared, 91.2}, {kNear, 60}, {kFar, 55}, {kLine, 28.4}, {kRead, 9.5}, {kWrite, 12}});
  const std::vector<std::string> said = put_in_order(machine);
  EXPECT_TRUE(broken_orders(machine).empty());
  EXPECT_EQ(value_of(machine, kShared), 28.4) << "no later than a line of the core beside it";
  EXPECT_EQ(value_of(machine, kNear), 55) << "near memory no later than far";
  EXPECT_EQ(value_of(machine, kWrite), 9.5) << "no memory takes writes faster than it gives reads";
  EXPECT_EQ(value_of(machine, kOwn), 1);
  EXPECT_EQ(value_of(machine, kLine), 28.4);
  EXPECT_EQ(value_of(machine, kRead), 9.5);
  EXPECT_EQ(source_of(machine, kWrite), "derived: as memories.dram.read_gb_per_s, than which it cannot be larger; 12 was measured");
  EXPECT_EQ(source_of(machine, kShared), "derived: as distances.distance 10.load_dirty_ns, than which it cannot be larger; 91.2 was measured");
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], "core.shared_hit_ns = 28.4: as distances.distance 10.load_dirty_ns, than which it cannot be larger; 91.2 was measured");
  parse_machine(machine_text(machine), "two");
}

TEST(MachineOrder, AGuessGivesWayToWhatWasMeasured) {
  StrictJson machine = calibrated({{kShared, 400}, {kOwn, 500}});
  const std::vector<std::string> said = put_in_order(machine);
  EXPECT_TRUE(broken_orders(machine).empty());
  EXPECT_EQ(value_of(machine, kOwn), 400);
  EXPECT_EQ(value_of(machine, kShared), 400);
  for (const std::string& guess : {kNear, kFar, kLine}) EXPECT_EQ(value_of(machine, guess), 400) << guess;
  EXPECT_NE(source_of(machine, kNear).find("90 was a guess"), std::string::npos) << source_of(machine, kNear);
  parse_machine(machine_text(machine), "two");
}

// Between two measured figures that contradict each other a guess settles nothing.
TEST(MachineOrder, AGuessBetweenTwoFiguresEnds) {
  StrictJson machine = calibrated({{kShared, 500}, {kFar, 40}});
  put_in_order(machine);
  EXPECT_TRUE(broken_orders(machine).empty());
  EXPECT_EQ(value_of(machine, kShared), 40);
  EXPECT_EQ(value_of(machine, kNear), 40);
  EXPECT_EQ(value_of(machine, kFar), 40);
  EXPECT_LT(value_of(machine, kLine), 100) << "a guess that contradicts nothing in the end stays";
}

} // namespace
} // namespace garner::tool
