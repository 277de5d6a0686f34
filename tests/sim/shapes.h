// Test help: small machines in full, made by hand, with round numbers.
#pragma once
#include "machine/sim/shape.h"

namespace garner {

// `nodes` in a line, `cores` on each, linked to their neighbours. 100 ns to the own memory and 50 more for each hop; 10 GB/s per controller,
// 5 GB/s per link; one line in flight, so that a sequence is a chain of single reads.
inline sim::Shape line_of_nodes(u32 nodes, u32 cores) {
  sim::Shape s{};
  s.nodes = nodes;
  s.memories = 1;
  s.memory[0] = {sim::rate_of(10'000), sim::rate_of(10'000), 0, 0, 64, 1, 0};
  s.distances = nodes;
  for (u32 hops = 0; hops < nodes; hops++) {
    const u64 far = hops * 50'000;
    s.distance[hops] = {100'000 + far, 40'000 + far, 41'000 + far, 42'000 + far, 80'000 + far, 60'000 + far, 90'000 + far};
  }
  memset(s.step, sim::kNoStep, sizeof s.step);
  for (u32 n = 0; n < nodes; n++) {
    s.node[n] = {cores, 0};
    for (u32 m = 0; m < nodes; m++) s.distance_of[n][m] = u8(n < m ? m - n : n - m);
    if (n + 1 < nodes) {
      s.link[s.links++] = {u8(n), u8(n + 1), sim::rate_of(5'000)};
      s.link[s.links++] = {u8(n + 1), u8(n), sim::rate_of(5'000)};
    }
  }
  u32 from, to;
  sim::find_routes(s, from, to);
  s.within = 0;
  s.threads = 1;
  s.busy_percent = 100;
  s.cluster_cores = cores;
  s.own_lines = 1024;
  s.shared_lines = 4096;
  s.shared_hit = 20'000;
  s.prefetch_lines = 4;
  s.page_bytes = kPageBytes;
  s.costs = {};
  s.costs.slot_load = 2'000;
  return s;
}

} // namespace garner
