// The table of locality and balance (N26), from counters: each sign of the collector's columns for the four placements. The program's own
// columns are not counted: only collector threads are.
#include <gtest/gtest.h>

#include "machine_file.h"
#include "sim/simulation.h"
#include "sim/workloads.h"

namespace garner::simulation {
namespace {

Traffic traffic_under(const std::string& preset) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  Pattern pattern = *find_pattern("xml-transform");
  pattern.threads = 16, pattern.eden = 8 * MiB, pattern.collections = 3;
  Spec spec;
  spec.machine = machine.config();
  spec.options = "preset=" + preset + ",cycle.resize=fixed,work.root_batch=4";
  spec.workers = 16;
  spec.eden = pattern.eden;
  Transactions program(pattern);
  const Measures m = simulate(spec, program);
  EXPECT_EQ(m.error, "") << preset;
  return m.traffic();
}

struct Row { const char* preset; bool balanced, scans_eden_near, copies_survivors_near, scans_survivors_near; };

TEST(PropertyTable, N26SignsOfTheCollectorsColumns) {
  const Row rows[] = {{"ps", false, false, false, false}, {"interleaved", true, false, false, false}, {"fragmented", true, false, true, false}, {"segregated", true, true, true, true}};
  for (const Row& row : rows) {
    const Traffic t = traffic_under(row.preset);
    ASSERT_FALSE(t.empty());
    if (row.balanced) EXPECT_LT(t.imbalance(SpaceKind::eden), 0.7) << row.preset;
    else EXPECT_GT(t.imbalance(SpaceKind::eden), 1.5) << row.preset;
    auto near = [&](SpaceKind space, Traffic::Way way, bool expected) {
      if (expected) EXPECT_LT(t.non_locality(space, way), 0.05) << row.preset << " " << name_of(space);
      else EXPECT_GT(t.non_locality(space, way), 0.3) << row.preset << " " << name_of(space);
    };
    near(SpaceKind::eden, Traffic::Way::reads, row.scans_eden_near);
    near(SpaceKind::to, Traffic::Way::writes, row.copies_survivors_near);
    near(SpaceKind::from, Traffic::Way::reads, row.scans_survivors_near);
  }
}

// N18, E3: who allocates first decides where eden is, for as long as the program runs.
TEST(PropertyTable, N18FirstTouchKeepsEdenWhereItWasTouched) {
  const Traffic t = traffic_under("ps");
  EXPECT_GT(double(t.by_home(SpaceKind::eden)[0]), 0.9 * double(t.accesses(SpaceKind::eden)));
}

} // namespace
} // namespace garner::simulation
