// Ways through a machine, and what a machine may not be; see shape.h.
#include "machine/sim/shape.h"

namespace garner::sim {
namespace {

constexpr u32 kFar = ~u32(0);

bool linked(const Shape& shape, u32 from, u32 to) {
  for (u32 i = 0; i < shape.links; i++)
    if (shape.link[i].from == from && shape.link[i].to == to) return true;
  return false;
}

// Hops from every node to `to`, kFar where there is no way.
void count_hops(const Shape& shape, u32 to, u32* hops) {
  for (u32 n = 0; n < shape.nodes; n++) hops[n] = n == to ? 0 : kFar;
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 i = 0; i < shape.links; i++) {
      const LinkShape& link = shape.link[i];
      if (hops[link.to] == kFar || hops[link.to] + 1 >= hops[link.from]) continue;
      hops[link.from] = hops[link.to] + 1;
      changed = true;
    }
  }
}

bool arrives(const Shape& shape, u32 from, u32 to) {
  u32 at = from;
  for (u32 steps = 0; at != to && steps < shape.nodes; steps++) {
    const u32 next = shape.step[at][to];
    if (next == kNoStep || !linked(shape, at, next)) return false;
    at = next;
  }
  return at == to;
}

} // namespace

bool find_routes(Shape& shape, u32& from, u32& to) {
  for (to = 0; to < shape.nodes; to++) {
    u32 hops[kShapeNodesMax];
    count_hops(shape, to, hops);
    for (from = 0; from < shape.nodes; from++) {
      if (from == to || shape.step[from][to] != kNoStep) continue;
      if (hops[from] == kFar) return false;
      for (u32 n = 0; n < shape.nodes && shape.step[from][to] == kNoStep; n++)
        if (hops[n] + 1 == hops[from] && linked(shape, from, n)) shape.step[from][to] = u8(n);
    }
  }
  for (to = 0; to < shape.nodes; to++)
    for (from = 0; from < shape.nodes; from++)
      if (from != to && !arrives(shape, from, to)) return false;
  return true;
}

const char* check_shape(const Shape& shape) {
  if (shape.nodes == 0 || shape.nodes > kShapeNodesMax) return "a machine has 1 to 64 nodes";
  if (shape.links > kLinksMax || shape.distances == 0 || shape.distances > kDistancesMax || shape.memories == 0 || shape.memories > kMemoriesMax)
    return "too many or too few links, distances or memories";
  u64 cores = 0;
  bool fast = false;
  for (u32 n = 0; n < shape.nodes; n++) {
    cores += shape.node[n].cores;
    if (shape.node[n].memory >= shape.memories) return "a node's memory is of an unknown kind";
    fast = fast || shape.memory[shape.node[n].memory].tier == 0;
  }
  if (cores == 0 || cores > kCoresMax) return "a machine has 1 to 2048 cores";
  if (!fast) return "no node has memory of tier 0";
  if (shape.threads == 0 || shape.threads > 8 || shape.cluster_cores == 0) return "a core has 1 to 8 threads, a cluster at least one core";
  if (shape.own_lines < 16 || shape.shared_lines < 16) return "a cache has at least 16 lines";
  if (shape.prefetch_lines == 0 || shape.prefetch_lines > 64) return "a core has 1 to 64 prefetches under way";
  if (shape.page_bytes < kPageBytes || !is_power_of_two(shape.page_bytes)) return "a page is 4 KiB times a power of two";
  if (shape.within >= shape.distances) return "the distance within a cluster is of an unknown class";
  for (u32 a = 0; a < shape.nodes; a++)
    for (u32 b = 0; b < shape.nodes; b++) {
      if (shape.distance_of[a][b] >= shape.distances) return "a distance is of an unknown class";
      if (a != b && !arrives(shape, a, b)) return "a way between two nodes is missing or goes in circles";
    }
  for (u32 m = 0; m < shape.memories; m++) {
    const Memory& one = shape.memory[m];
    if (one.read_ps_per_kib == 0 || one.write_ps_per_kib == 0 || one.stream_lines == 0) return "a memory's rates and its lines in flight are at least 1";
    if (one.granule < kLineBytes || one.granule > kPageBytes || !is_power_of_two(one.granule)) return "a memory's granule is a power of two from 64 to 4096";
  }
  return nullptr;
}

} // namespace garner::sim
