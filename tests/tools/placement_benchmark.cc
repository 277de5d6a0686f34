// E1 (N28): the four placements on the 48-core machine stop gaining at the thread counts the paper gives, near the calibrated totals.
#include <gtest/gtest.h>

#include "machine_file.h"
#include "placement_bench.h"

namespace garner::tool {
namespace {

constexpr u32 kThreads[] = {1, 4, 8, 16, 24, 32, 40, 48};
constexpr u64 kBytes = 48 << 20;

std::vector<PlacementPoint> curve_of(const MachineFile& m, Placement placement) {
  std::vector<PlacementPoint> curve;
  for (u32 t : kThreads) curve.push_back(run_placement(m.config(), placement, t, kBytes));
  return curve;
}

TEST(PlacementBenchmark, N28KneesAndTotalsOfTheSymmetricBoard) {
  const MachineFile m = find_machine("amd48");
  // The totals of the calibrated set; every cell within 5 percent.
  const struct { Placement placement; u32 knee; double gb_per_s[8]; } expected[] = {
    {Placement::unbalanced_remote, 8, {2.6, 4.6, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0}},
    {Placement::balanced_remote, 32, {1.4, 5.7, 11.4, 22.8, 33.7, 40.4, 40.1, 40.4}},
    {Placement::balanced_local, 40, {2.6, 10.2, 20.5, 41.0, 61.4, 81.9, 100, 100}},
    {Placement::unbalanced_local, 8, {2.6, 10.2, 12.5, 12.5, 12.5, 12.5, 12.5, 12.5}},
  };
  double at_48[4];
  for (const auto& row : expected) {
    const std::vector<PlacementPoint> curve = curve_of(m, row.placement);
    EXPECT_EQ(knee_of(curve, 3), row.knee) << placement_name(row.placement);
    for (u32 i = 0; i < 8; i++) EXPECT_NEAR(curve[i].gb_per_s(), row.gb_per_s[i], 0.05 * row.gb_per_s[i]) << placement_name(row.placement) << " " << kThreads[i];
    at_48[usize(row.placement)] = curve.back().gb_per_s();
  }
  EXPECT_GT(at_48[usize(Placement::balanced_local)], 2 * at_48[usize(Placement::balanced_remote)]);
  EXPECT_GT(at_48[usize(Placement::balanced_remote)], 2 * at_48[usize(Placement::unbalanced_local)]);
}

// Each thread's buffer is asked for page by page, after it has been read.
TEST(PlacementBenchmark, N28PagesAreWhereThePlacementSays) {
  const MachineFile m = find_machine("amd48");
  const u32 nodes = m.config().shape->nodes;
  for (Placement placement : kPlacements) {
    const PlacementPoint point = run_placement(m.config(), placement, 16, 16 << 20);
    ASSERT_EQ(point.pages.size(), usize(nodes) * nodes);
    const u64 readers = placement == Placement::unbalanced_local ? 1 : nodes, each = point.bytes / kPageBytes / readers;
    for (u32 reader = 0; reader < nodes; reader++)
      for (u32 page = 0; page < nodes; page++) {
        const u64 found = point.pages[reader * nodes + page];
        switch (placement) {
          case Placement::unbalanced_remote: EXPECT_EQ(found, page == 0 ? each : 0); break;
          case Placement::balanced_remote: EXPECT_NEAR(double(found), double(each) / nodes, 2); break; // a page more or less in each of two buffers
          case Placement::balanced_local: EXPECT_EQ(found, page == reader ? each : 0); break;
          case Placement::unbalanced_local: EXPECT_EQ(found, page == 0 && reader == 0 ? each : 0); break;
        }
      }
  }
}

TEST(PlacementBenchmark, TheAsymmetricBoardStopsSooner) {
  const u32 knee = knee_of(curve_of(find_machine("amd48a"), Placement::balanced_remote), 5);
  EXPECT_GE(knee, 24u);
  EXPECT_LE(knee, 32u);
}

TEST(PlacementBenchmark, RepeatsToTheLastDigit) {
  const MachineFile m = find_machine("amd48");
  const PlacementPoint one = run_placement(m.config(), Placement::balanced_remote, 24, kBytes), two = run_placement(m.config(), Placement::balanced_remote, 24, kBytes);
  EXPECT_EQ(one.ns, two.ns);
  EXPECT_EQ(one.digest, two.digest);
}

TEST(PlacementBenchmark, TheKneeIsWhereMoreThreadsStopHelping) {
  auto curve = [](std::vector<u64> gb) {
    std::vector<PlacementPoint> points;
    for (usize i = 0; i < gb.size(); i++) points.push_back({u32(i + 1), 1000, gb[i] * 1000, 0});
    return points;
  };
  EXPECT_EQ(knee_of(curve({10, 20, 30, 30, 30}), 3), 3u);
  EXPECT_EQ(knee_of(curve({10, 20, 30, 28, 40}), 3), 5u);
  EXPECT_EQ(knee_of(curve({10}), 3), 1u);
}

} // namespace
} // namespace garner::tool
