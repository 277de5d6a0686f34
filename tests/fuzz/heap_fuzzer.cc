// Fuzzing of recordings: any bytes, recordings whose sums are right although their bodies are not, and right ones made of the bytes (made_heap.h). What is
// accepted must be a graph; what is small enough is then built on a simulated machine of four cores and collected there, with the verifier on.
#include <cstdio>
#include <cstdlib>

#include "made_heap.h"
#include "sim/heap_graph.h"
#include "sim/simulation.h"

namespace garner::test {
namespace {

constexpr u64 kReplayedMost = 4 * MiB;
constexpr u32 kThreadsMost = 8; // each has a fiber and buffers

void check(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

void check_recording(const record::Recording& r) {
  u64 sum = 0, last = 0;
  for (u32 i = 0; i < r.objects(); i++) {
    const record::ClassDef& shape = r.shape(i);
    check(shape.words >= 3 && shape.slots < shape.words && r.object(i).thread <= r.tail().threads, "an object is impossible");
    sum += shape.words * kWordBytes;
    for (u32 e = r.object(i).first_edge; e < r.object(i + 1).first_edge; e++) {
      check(e == r.object(i).first_edge || r.edges()[e].slot > last, "edges are out of order");
      last = r.edges()[e].slot;
      check(r.edges()[e].target < r.objects() && last < shape.slots, "an edge leads nowhere");
    }
  }
  for (usize i = 0; i < r.roots().size(); i++) check(r.roots()[i].target < r.objects() && r.roots()[i].second <= r.objects(), "a root leads nowhere");
  check(sum == r.tail().object_bytes, "the sum of objects is wrong");
}

void check_replay(const simulation::Graph& graph, Kind kind, u64 choice) {
  const char* const presets[] = {"garner", "naps", "ps", "fragmented", "segregated", "aggressive"};
  simulation::Spec spec;
  spec.machine.nodes = 2;
  spec.machine.cores_per_node = 2;
  spec.options = std::string("verify=both,woken_per=0,preset=") + presets[choice % 6];
  spec.workers = 2 + choice % 3;
  spec.seed = 1 + choice % 1000;
  spec.eden = simulation::Replay::eden_for(graph);
  spec.reserve = align_up(6 * spec.eden + 64 * MiB, 64 * MiB);
  simulation::Replay program(graph, kind);
  const simulation::Measures m = simulation::simulate(spec, program);
  check(m.error.empty(), m.error.c_str());
  check(m.collections.size() == 1, "a replay is one collection");
}

// The graph says of every slot what the recording says; second objects of dependent handles come behind an object's own slots.
void check_same(const record::Recording& r, const simulation::Graph& graph) {
  check(graph.objects() == r.objects() && graph.total_bytes() == r.tail().object_bytes, "the graph has other objects");
  u64 edges = 0;
  std::vector<u64> next;
  for (u32 o = 0; o < r.objects(); o++) {
    for (u32 e = r.object(o).first_edge; e < r.object(o + 1).first_edge; e++, edges++)
      check(graph.edges[graph.edge_begin[o] + r.edges()[e].slot] == r.edges()[e].target, "the graph has another reference");
    next.push_back(graph.edge_begin[o] + r.shape(o).slots);
  }
  for (usize i = 0; i < r.roots().size(); i++)
    if (const record::RootDef& root = r.roots()[i]; root.second != 0) edges++, check(graph.edges[next[root.target]++] == root.second - 1, "the graph has another second object");
  for (u32 o = 0; o < r.objects(); o++) check(next[o] == graph.edge_begin[o + 1], "an object has other slots");
  for (u32 e : graph.edges) edges -= e != simulation::Graph::kNone;
  check(edges == 0, "the graph has more references");
}

void check_graph(const record::Recording& r, u64 choice) {
  if (simulation::replay_bytes(r) > 64 * kReplayedMost) return; // as replay.cc compares it with the memory that is there
  const Kind kind = Kind(r.head().generation);
  simulation::Graph graph;
  if (!simulation::graph_of(r, {u32(choice % 4), kind != Kind::full}, graph).empty()) return;
  check(graph.trouble().empty(), "the graph is none");
  check_same(r, graph);
  if (simulation::replay_bytes(r) <= kReplayedMost && graph.threads() <= kThreadsMost && graph.objects() != 0) check_replay(graph, kind, choice);
}

} // namespace
} // namespace garner::test

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace garner;
  record::Recording r;
  const std::string bytes(reinterpret_cast<const char*>(data), size), made = test::MadeHeap(data, size).file();
  const u64 choice = size == 0 ? 0 : mix64(size ^ u64(data[0]) << 32 ^ u64(data[size - 1]) << 40);
  const char* const trouble = test::read(r, made);
  test::check(trouble == nullptr, trouble);
  for (const std::string& file : {bytes, test::resigned(bytes), made}) {
    if (test::read(r, file) != nullptr) continue;
    test::check_recording(r);
    test::check_graph(r, choice);
  }
  return 0;
}
