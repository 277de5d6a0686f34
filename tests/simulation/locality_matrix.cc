// The locality matrix and its trace (T15).
#include <gtest/gtest.h>

#include "graphs.h"

namespace garner::simulation {
namespace {

TEST(LocalityMatrix, T15AllLocalIsOneAllElsewhereIsNone) {
  LocalityMatrix local(8), elsewhere(8);
  for (u32 i = 0; i < 8; i++) local.record(i, i), elsewhere.record(i, (i + 1) % 8);
  EXPECT_DOUBLE_EQ(local.trace(), 800);
  EXPECT_DOUBLE_EQ(local.locality(), 1);
  EXPECT_DOUBLE_EQ(elsewhere.locality(), 0);
}

TEST(LocalityMatrix, T15SixNodesWithATraceOf450AreThreeQuarters) {
  LocalityMatrix matrix(8); // nodes 6 and 7 hold no root: their rows do not count
  for (u32 i = 0; i < 6; i++)
    for (u32 k = 0; k < 4; k++) matrix.record(i, k < 3 ? i : 7);
  EXPECT_EQ(matrix.rows_used(), 6u);
  EXPECT_DOUBLE_EQ(matrix.trace(), 450);
  EXPECT_DOUBLE_EQ(matrix.locality(), 0.75);
}

TEST(LocalityMatrix, T15PrivateTreesOnTheirThreadsNodesAreLocal) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Measures own = collect(machine, trees(8, 300, 0), "preset=naps", 8);
  ASSERT_EQ(own.error, "");
  EXPECT_DOUBLE_EQ(own.collections[0].locality.all.locality(), 1);
  EXPECT_EQ(own.collections[0].locality.all.rows_used(), 8u);
  const Measures spread = collect(machine, trees(8, 300, 0), "preset=interleaved", 8);
  EXPECT_LT(spread.collections[0].locality.all.locality(), 0.6);
}

} // namespace
} // namespace garner::simulation
