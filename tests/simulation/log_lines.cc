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
  std::map<u32, u64> copying; // by worker
  u64 accesses = 0, steals = 0, eden = 0;
  std::string line;
  for (std::istringstream lines(log_lines(m)); std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    events[record["event"]]++;
    EXPECT_LE(line.size(), 4095u);
    if (record.contains("index")) EXPECT_EQ(record["index"], m.collections[0].end.index);
    if (record["event"] == "node_uses")
      for (u64 v : record["accesses"]) accesses += v;
    if (record["event"] == "steals")
      for (u64 v : record["from"]) steals += v;
    if (record["event"] == "node_bytes")
      for (u64 v : record["bytes"]) eden += v;
    if (record["event"] == "spans") {
      u64 sum = 0;
      for (const auto& span : record["spans"]) sum += span[0] == "copy" ? span[2].get<u64>() - span[1].get<u64>() : 0;
      copying[record["worker"]] += sum;
      EXPECT_GE(record["total_ns"][u32(Activity::copies)].get<u64>(), sum);
    }
  }
  EXPECT_EQ(events["worker_phase"], 8u);
  EXPECT_GE(events["spans"], 8u);
  EXPECT_EQ(copying.size(), 8u);
  EXPECT_EQ(events["node_uses"], kSpaceKinds * 8);
  EXPECT_EQ(events["node_distances"], 8u);
  EXPECT_EQ(events["cycle_end"], 1u);
  u64 counted = 0, pages = 0, stolen = 0;
  for (usize s = 0; s < kSpaceKinds; s++) counted += m.traffic().accesses(SpaceKind(s));
  for (u64 n : m.collections[0].eden_pages) pages += n;
  for (const WorkerLine& w : m.collections[0].workers) stolen += w.stats.steals;
  EXPECT_EQ(accesses, counted);
  EXPECT_EQ(eden, pages * kPageBytes);
  EXPECT_EQ(steals, stolen);
}

} // namespace
} // namespace garner::simulation
