// Objects, references, then roots (heap_graph.h).
#include "sim/heap_graph.h"

namespace garner::simulation {

using record::Recording;
using record::RootClass;

namespace {

constexpr u64 kSlotsMost = u64(1) << 30, kBytesMost = synthetic::kWordsMost * kWordBytes;
constexpr u64 kDealtBytes = 32 * KiB;

// Who allocated each object, from 0.
void give_threads(const Recording& r, u32 wanted, Graph& graph) {
  const u32 recorded = max_of<u32>(u32(r.tail().threads), 1);
  u32 dealt = 0;
  for (usize i = 0; i < r.regions().size(); i++) {
    const record::RegionDef& region = r.regions()[i];
    u64 in_buffer = 0;
    for (u32 o = region.first; o < region.first + region.objects; o++) {
      const u32 known = r.object(o).thread;
      if (wanted == 0) {
        graph.thread[o] = u16(known != 0 ? known - 1 : i % recorded);
        continue;
      }
      const bool next = o != region.first && (known != r.object(o - 1).thread || in_buffer >= kDealtBytes);
      if (o == region.first || next) dealt++, in_buffer = 0;
      in_buffer += graph.bytes[o];
      graph.thread[o] = u16((dealt - 1) % wanted);
    }
  }
}

} // namespace

u64 replay_bytes(const Recording& r) {
  u64 slots = r.roots().size();
  for (u32 o = 0; o < r.objects(); o++) slots += r.shape(o).slots;
  return 4 * r.tail().object_bytes + 64 * u64(r.objects()) + 8 * slots;
}

std::string graph_of(const Recording& r, const HeapGraphOptions& options, Graph& graph) {
  const u32 n = r.objects();
  std::vector<u32> second(n, Graph::kNone), seconds(n, 0); // of dependent handles: most have one
  for (usize i = 0; i < r.roots().size(); i++) {
    const record::RootDef& root = r.roots()[i];
    if (root.how == RootClass::dependent && root.second != 0) seconds[root.target]++;
  }
  u64 slots = 0;
  for (u32 o = 0; o < n; o++) {
    const u64 own = r.shape(o).slots + seconds[o];
    if (max_of<u64>(r.shape(o).words * kWordBytes, kMinObjectBytes + own * kWordBytes) > kBytesMost) return "the recording has an object of 2 GiB or more, too large for a replay";
    slots += own;
  }
  if (slots > kSlotsMost) return "the recording has more than 2^30 slots, too many for a replay";
  graph = {};
  graph.bytes.resize(n), graph.thread.resize(n), graph.age.resize(n), graph.edge_begin.resize(usize(n) + 1);
  graph.edges.assign(slots, Graph::kNone);
  for (usize i = 0; i < r.regions().size(); i++) {
    const record::RegionDef& region = r.regions()[i];
    for (u32 o = region.first; o < region.first + region.objects; o++) graph.age[o] = u8(Recording::generation_of(region));
  }
  for (u32 o = 0; o < n; o++) {
    graph.bytes[o] = u32(r.shape(o).words * kWordBytes);
    const u64 begin = graph.edge_begin[o], own = r.shape(o).slots;
    for (u32 e = r.object(o).first_edge; e < r.object(o + 1).first_edge; e++) graph.edges[begin + r.edges()[e].slot] = r.edges()[e].target;
    graph.edge_begin[o + 1] = begin + own + seconds[o];
    second[o] = u32(own); // where the next second object goes
  }
  give_threads(r, options.threads, graph);
  for (usize i = 0; i < r.roots().size(); i++) {
    const record::RootDef& root = r.roots()[i];
    if (root.how == RootClass::dependent) {
      if (root.second != 0) graph.edges[graph.edge_begin[root.target] + second[root.target]++] = root.second - 1;
    } else if (!record::keeps(root.how)) {
      graph.weak.push_back(root.target);
    } else if (root.how != RootClass::dead_holder || options.young) {
      const bool stack = record::has_thread(root.how) && root.thread != 0;
      const u32 thread = !stack ? 0 : options.threads == 0 ? root.thread - 1u : (root.thread - 1u) % options.threads;
      graph.roots.push_back({root.target, u16(thread), stack ? Graph::RootFrom::stack : Graph::RootFrom::statics});
    }
  }
  return graph.trouble();
}

} // namespace garner::simulation
