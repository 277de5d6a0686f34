// A simulated collection as a log (N27, T15), and the page that is made of it.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphs.h"
#include "sim/log_lines.h"

namespace garner::simulation {
namespace {

TEST(LogLines, N27OneRecordPerWorkerAndCollectionAndTheCounts) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Measures m = collect(machine, trees(8, 500, 10), "preset=naps", 8);
  ASSERT_EQ(m.error, "");
  std::map<std::string, unsigned> events;
  double accesses = 0;
  std::string line;
  for (std::istringstream lines(log_lines(m)); std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    events[record["event"]]++;
    EXPECT_TRUE(record["event"] == "heap_ready" || record["index"] == m.collections[0].end.index);
    if (record["event"] == "node_uses")
      for (const auto& row : record["accesses"])
        for (double v : row) accesses += v;
  }
  EXPECT_EQ(events["worker_phase"], 8u);
  EXPECT_EQ(events["spans"], 8u);
  EXPECT_EQ(events["node_uses"], kSpaceKinds);
  EXPECT_EQ(events["cycle_end"] + events["steals"] + events["locality"], 3u);
  double counted = 0;
  for (usize s = 0; s < kSpaceKinds; s++) counted += double(m.traffic().accesses(SpaceKind(s)));
  EXPECT_EQ(accesses, counted);
}

} // namespace
} // namespace garner::simulation
