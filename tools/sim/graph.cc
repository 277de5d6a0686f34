// Checking a graph, and making it anew (graph.h).
#include "sim/graph.h"

#include <algorithm>
#include <numeric>

namespace garner::simulation {

namespace {
constexpr u32 kThreadsMost = 4096;
u64 bytes_of(const Graph& graph, u32 object) {
  const u64 references = graph.edge_begin[object + 1] - graph.edge_begin[object];
  return align_up(max_of<u64>(graph.bytes[object], kMinObjectBytes + references * kWordBytes), kWordBytes);
}
} // namespace

u32 Graph::threads() const {
  u32 most = 0;
  for (u16 t : thread) most = max_of<u32>(most, t + 1u);
  for (const Root& root : roots) most = max_of<u32>(most, root.thread + 1u);
  return most;
}

u64 Graph::total_bytes() const {
  u64 sum = 0;
  for (u32 b : bytes) sum += b;
  return sum;
}

std::string Graph::trouble() const {
  const usize n = bytes.size();
  auto at = [](const char* what, usize i) { return std::string(what) + " (object " + std::to_string(i) + ")"; };
  if (n >= kNone) return "too many objects";
  if (thread.size() != n || age.size() != n || edge_begin.size() != n + 1) return "the tables of objects have different lengths";
  if (edge_begin.front() != 0 || edge_begin.back() != edges.size()) return "the references do not fill their table";
  for (usize i = 0; i < n; i++) {
    if (edge_begin[i] > edge_begin[i + 1]) return at("references end before they begin", i);
    if (age[i] > 2) return at("an age above 2", i);
    if (thread[i] >= kThreadsMost) return at("a thread number above 4095", i);
    if (bytes_of(*this, u32(i)) > synthetic::kWordsMost * kWordBytes) return at("an object of 2 GiB or more", i);
  }
  for (usize i = 0; i < edges.size(); i++)
    if (edges[i] != kNone && edges[i] >= n) return "reference " + std::to_string(i) + " is to no object";
  for (usize i = 0; i < roots.size(); i++)
    if (roots[i].object >= n || roots[i].thread >= kThreadsMost) return "root " + std::to_string(i) + " is to no object, or of no thread";
  for (u32 w : weak)
    if (w >= n) return "a weak handle is to no object";
  return "";
}

Replay::Replay(const Graph& graph, Kind kind) : graph_(graph), kind_(kind), mine_(threads()), seats_(threads()) {
  std::vector<u64> filled(threads());
  for (u32 i = 0; i < graph.objects(); i++) {
    mine_[graph.thread[i]].push_back(i);
    if (graph.age[i] == 0) filled[graph.thread[i]] += bytes_of(graph, i);
  }
  std::vector<u32> order(threads());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return filled[a] > filled[b]; });
  for (u32 seat = 0; seat < order.size(); seat++) seats_[order[seat]] = seat;
}

u64 Replay::eden_for(const Graph& graph) {
  u64 sum = 0;
  for (u32 i = 0; i < graph.objects(); i++) sum += bytes_of(graph, i);
  return align_up(sum + sum / 16 + u64(max_of(graph.threads(), 1u)) * 256 * KiB + 4 * MiB, MiB);
}

// While the heap is built every object is a static: collections keep it and tell where it went.
void Replay::run(Thread& thread) {
  if (thread.index == 0)
    for (u32 i = 0; i < graph_.objects(); i++) thread.add_static({0});
  for (u8 age = 3; age-- > 0;) {
    thread.meet();
    allocate(thread, age);
    thread.meet();
    if (age != 0 && thread.index == 0 && std::find(graph_.age.begin(), graph_.age.end(), 0) != graph_.age.end()) thread.collect(Kind::young1);
  }
  thread.meet();
  link(thread);
  thread.meet();
  take_roots(thread);
  thread.meet();
  if (thread.index != 0) return;
  thread.cool_caches(); // between these objects the program wrote others that died: what the caches hold here is of the building, not of the program
  u64 young = 0;
  for (u32 i = 0; i < graph_.objects(); i++) young += graph_.age[i] == 2 ? 0 : bytes_of(graph_, i);
  thread.wear_copies(young); // and these are not its first copies
  thread.begin_measuring();
  thread.collect(kind_);
  thread.end_measuring();
}

void Replay::allocate(Thread& thread, u8 age) {
  for (u32 i : mine_[thread.index])
    if (graph_.age[i] == age) thread.set_static(i, thread.make(u32(graph_.edge_begin[i + 1] - graph_.edge_begin[i]), graph_.bytes[i]));
}

void Replay::link(Thread& thread) {
  for (u32 i : mine_[thread.index]) {
    const Ref from = thread.get_static(i);
    for (u64 e = graph_.edge_begin[i]; e < graph_.edge_begin[i + 1]; e++)
      if (graph_.edges[e] != Graph::kNone) thread.set(from, u32(e - graph_.edge_begin[i]), thread.get_static(graph_.edges[e]));
  }
  for (const Graph::Root& root : graph_.roots)
    if (root.thread == thread.index && root.from == Graph::RootFrom::stack) thread.hold(thread.get_static(root.object));
}

// From here on only the graph's own roots hold it.
void Replay::take_roots(Thread& thread) {
  if (thread.index != 0) return;
  std::vector<Ref> statics;
  for (const Graph::Root& root : graph_.roots)
    if (root.from == Graph::RootFrom::statics) statics.push_back(thread.get_static(root.object));
  for (u32 w : graph_.weak) thread.weak(thread.get_static(w));
  thread.drop_statics(graph_.objects());
  for (Ref ref : statics) thread.add_static(ref);
}

} // namespace garner::simulation
