// What a simulation says about a collection (N27): formulas, and counts that must agree with each other.
#include <cmath>

#include <gtest/gtest.h>

#include "graphs.h"

namespace garner::simulation {
namespace {

TEST(Measures, N27ImbalanceIsZeroWhenEvenAndRootOfNodesLessOneWhenOneHasAll) {
  EXPECT_DOUBLE_EQ(imbalance_of({5, 5, 5, 5, 5, 5, 5, 5}), 0);
  EXPECT_NEAR(imbalance_of({9, 0, 0, 0, 0, 0, 0, 0}), std::sqrt(7.0), 1e-12);
  EXPECT_NEAR(imbalance_of({70, 30, 0, 0, 0, 0, 0, 0}), 1.91, 0.01); // the specification's example
  EXPECT_DOUBLE_EQ(imbalance_of({0, 0, 0}), 0);
}

TEST(Measures, N27EveryLiveObjectIsCopiedAndCounted) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Graph graph = trees(8, 2000, 0);
  const Measures m = collect(machine, graph, "preset=naps", 8);
  ASSERT_EQ(m.error, "");
  ASSERT_EQ(m.collections.size(), 1u);
  EXPECT_EQ(m.copied_objects(), 8u * 2000u);
  const Traffic traffic = m.traffic();
  EXPECT_GE(traffic.accesses(SpaceKind::eden, Traffic::Way::reads), 2 * m.copied_objects()); // its header and itself
  u64 written = 0;
  for (u32 a = 0; a < 8; a++)
    for (u32 b = 0; b < 8; b++) written += traffic.at(SpaceKind::to, a, b).bytes_written;
  EXPECT_GE(written, m.copied_bytes() - 8 * m.copied_objects()); // the header apart
  u64 stolen = 0, by_worker = 0;
  for (u64 s : m.collections[0].steals) stolen += s;
  for (const WorkerLine& w : m.collections[0].workers) by_worker += w.stats.steals;
  EXPECT_EQ(stolen, by_worker);
}

TEST(Measures, N20CopiesOfFragmentedSurvivorsAreLocal) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Graph graph = trees(8, 2000, 10);
  const Measures fragmented = collect(machine, graph, "preset=naps", 8), interleaved = collect(machine, graph, "preset=interleaved", 8);
  ASSERT_EQ(fragmented.error + interleaved.error, "");
  // Not quite none: who stole a slot writes the new address into a copy that its victim made.
  EXPECT_LT(fragmented.traffic().non_locality(SpaceKind::to, Traffic::Way::writes), 0.05);
  EXPECT_NEAR(interleaved.traffic().non_locality(SpaceKind::to, Traffic::Way::writes), 0.875, 0.03); // N19: seven of eight nodes
}

TEST(Measures, N27NotesChangeNoClock) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Graph graph = trees(6, 500, 10);
  const Measures with = collect(machine, graph, "preset=ps", 6, true), without = collect(machine, graph, "preset=ps", 6, false);
  EXPECT_EQ(with.digest, without.digest);
  EXPECT_EQ(with.pause_ns, without.pause_ns);
  EXPECT_TRUE(without.collections[0].spans.empty());
  EXPECT_EQ(collect(machine, graph, "preset=ps", 6, true).digest, with.digest);
}

TEST(Measures, TimelineFillsEachWorkersTimeWithoutOverlap) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  const Measures m = collect(machine, trees(8, 1000, 10), "preset=naps", 12);
  ASSERT_EQ(m.collections.size(), 1u);
  std::vector<u64> last(12);
  u64 copying = 0;
  for (const auto& [worker, span] : m.collections[0].spans) {
    ASSERT_LT(worker, 12u);
    EXPECT_GE(span.begin_ns, last[worker]);
    EXPECT_LT(span.begin_ns, span.end_ns);
    last[worker] = span.end_ns;
    if (span.what == Activity::copies) copying += span.end_ns - span.begin_ns;
  }
  for (u32 w = 0; w < 12; w++) EXPECT_GT(last[w], 0u) << w;
  EXPECT_GT(copying, 0u);
}

TEST(Measures, AGraphThatIsNoneIsRefusedInOneLine) {
  Graph graph = trees(2, 10, 0);
  EXPECT_EQ(graph.trouble(), "");
  graph.edges[3] = 1000;
  EXPECT_EQ(graph.trouble(), "reference 3 is to no object");
  const Measures m = collect(tool::find_machine("amd48"), trees(2, 10, 0), "preset=nonesuch", 2);
  EXPECT_NE(m.error, "");
  EXPECT_EQ(m.error.find('\n'), std::string::npos);
}

TEST(Measures, AgesOfAGraphAreItsGenerations) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  Graph graph = trees(4, 500, 0, 2);
  const u32 old = graph.objects();
  Graph young = trees(4, 500, 0, 0);
  graph.edge_begin.pop_back();
  for (u32 i = 0; i < young.objects(); i++) {
    graph.bytes.push_back(56), graph.thread.push_back(young.thread[i]), graph.age.push_back(0);
    graph.edge_begin.push_back(graph.edges.size());
    for (u64 e = young.edge_begin[i]; e < young.edge_begin[i + 1]; e++) graph.edges.push_back(young.edges[e] == Graph::kNone ? Graph::kNone : young.edges[e] + old);
  }
  graph.edge_begin.push_back(graph.edges.size());
  graph.edges[2] = old; // from an old tree into a young one: a card
  const Measures m = collect(machine, graph, "preset=naps", 4);
  ASSERT_EQ(m.error, "");
  EXPECT_EQ(m.copied_objects(), 500u); // of the young, the tree that an old object holds; the old are left alone
  EXPECT_GT(m.traffic().accesses(SpaceKind::old), 0u);
}

} // namespace
} // namespace garner::simulation
