// A recording replayed twice gives the same simulation to the last digit; what it becomes as a graph keeps counts, ages and threads.
#include <fstream>
#include <iterator>

#include "recorded.h"
#include "sim/heap_graph.h"
#include "sim/simulation.h"

namespace garner::test {
namespace {

using namespace simulation;

Recorded sample() {
  SmallHeap heap;
  heap.root(heap.array(100));
  for (u32 i = 0; i < 50; i++) heap.set(heap.at(0), i, heap.node(3));
  heap.young();
  for (u32 i = 50; i < 100; i++) heap.set(heap.at(0), i, heap.node(2, 400));
  Ref key = heap.leaf(), value = heap.leaf();
  heap.root(key);
  EXPECT_NE(heap.host.table.create(heap.host.owner, HandleKind::dependent, key, value.at), nullptr);
  return record_heap(heap, Kind::young1);
}

TEST(Replay, TheGraphIsTheRecordings) {
  record::Recording r;
  ASSERT_EQ(read(r, sample().bytes), nullptr);
  Graph graph;
  ASSERT_EQ(graph_of(r, {}, graph), "");
  EXPECT_EQ(graph.objects(), 103u);
  EXPECT_EQ(graph.total_bytes(), r.tail().object_bytes);
  u64 edges = 0, survivors = 0, dependents = 0;
  for (u32 e : graph.edges) edges += e != Graph::kNone;
  for (u8 age : graph.age) survivors += age == 1;
  dependents = r.tail().roots[u32(record::RootClass::dependent)];
  EXPECT_EQ(dependents, 1u);
  EXPECT_EQ(edges, r.tail().references + dependents);
  EXPECT_EQ(survivors, 51u);
  EXPECT_EQ(graph.threads(), 2u);
  ASSERT_EQ(graph_of(r, {7, true}, graph), "");
  EXPECT_EQ(graph.threads(), 7u) << "a thread of the test allocates a KiB at a time: enough buffers for seven";
}

// What is too large is known from the recording: graph_of takes no memory for it, and what a replay of it would take can be asked before.
TEST(Replay, GiantsAreRefusedFromTheRecordingAlone) {
  record::Recording r;
  const std::string giants = bytes_of(GARNER_TEST_DATA "/three-giants.garner-heap");
  ASSERT_EQ(read(r, giants), nullptr);
  EXPECT_EQ(r.objects(), 3u);
  EXPECT_GT(simulation::replay_bytes(r), 4 * r.tail().object_bytes + 8 * u64(3 * ((1 << 28) - 4)));
  // The one definition of a class, a word larger: each object has 2 GiB, its slots half a gibi.
  const std::string words = "\xff\xff\xff\x7f", more = std::string("\x80\x80\x80\x80\x01", 5);
  ASSERT_NE(giants.find(words), std::string::npos);
  std::string larger = giants;
  larger.replace(larger.find(words), words.size(), more);
  record::Tail tail;
  memcpy(&tail, larger.data() + larger.size() - sizeof tail, sizeof tail);
  tail.object_bytes += 3 * kWordBytes;
  memcpy(larger.data() + larger.size() - sizeof tail, &tail, sizeof tail);
  ASSERT_EQ(read(r, resigned(larger)), nullptr);
  Graph graph;
  EXPECT_EQ(graph_of(r, {}, graph), "the recording has an object of 2 GiB or more, too large for a replay");
  EXPECT_TRUE(graph.edges.capacity() == 0 && graph.bytes.capacity() == 0) << "memory was taken for it";
}

TEST(Replay, TwiceTheSameToTheLastDigit) {
  record::Recording r;
  ASSERT_EQ(read(r, sample().bytes), nullptr);
  Graph graph;
  ASSERT_EQ(graph_of(r, {}, graph), "");
  auto once = [&](const char* options) {
    Spec spec;
    spec.machine.nodes = 2;
    spec.machine.cores_per_node = 2;
    spec.options = options;
    spec.workers = 4;
    spec.eden = simulation::Replay::eden_for(graph);
    spec.reserve = 256 * MiB;
    simulation::Replay program(graph, Kind::young1);
    return simulate(spec, program);
  };
  const Measures a = once("preset=naps"), b = once("preset=naps"), other = once("preset=ps");
  ASSERT_EQ(a.error, "");
  ASSERT_EQ(a.collections.size(), 1u);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.pause_ns, b.pause_ns);
  EXPECT_NE(a.digest, other.digest);
  EXPECT_EQ(a.copied_objects(), 103u) << "all of them young, but none dead";
}

// tests/data/README.md says how they were made.
TEST(Replay, TheRecordingsThatComeWithTheTreeAreWhole) {
  for (const char* name : {"warehouse", "roslyn", "xml-transform"}) {
    std::ifstream in(std::string(GARNER_TEST_DATA) + "/" + name + ".garner-heap", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_LT(bytes.size(), 5u * 1000 * 1000) << name;
    record::Recording r;
    ASSERT_EQ(read(r, bytes), nullptr) << name;
    EXPECT_GT(r.objects(), 10'000u) << name;
    EXPECT_EQ(r.tail().flags, 0u) << name << " is whole";
    EXPECT_GT(r.tail().roots[u32(record::RootClass::stack)], 0u) << name;
    Graph graph;
    EXPECT_EQ(graph_of(r, {}, graph), "") << name;
  }
}

} // namespace
} // namespace garner::test
