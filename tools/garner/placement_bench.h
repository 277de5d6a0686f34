// The placement micro-benchmark (N28) on a simulated machine: threads read private buffers in sequence, a fixed amount in all.
//
// Threads go round the nodes (N25). What varies is where the buffers lie:
//   unbalanced-remote  all on node 0                      balanced-remote  their pages round the nodes
//   balanced-local     each on its thread's node          unbalanced-local threads fill node 0 first, only those there work
// Each thread reads a part of its own, once, so no cache helps. Pages are touched before the clock starts.
#pragma once
#include <string>
#include <vector>

#include "machine/sim/config.h"

namespace garner::tool {

enum class Placement : u8 { unbalanced_remote, balanced_remote, balanced_local, unbalanced_local };
inline constexpr Placement kPlacements[] = {Placement::unbalanced_remote, Placement::balanced_remote, Placement::balanced_local, Placement::unbalanced_local};
const char* placement_name(Placement placement);

struct PlacementPoint {
  u32 threads;
  u64 ns;           // until the last thread is through
  u64 bytes;        // read in all
  u64 digest;       // of the run
  std::vector<u64> pages = {}; // where the machine says they were read, [node of the reader * nodes + node of the page]
  double gb_per_s() const { return ns == 0 ? 0 : double(bytes) / double(ns); }
};
// One run; `bytes` is rounded down to whole pages for each thread.
PlacementPoint run_placement(const sim::Config& config, Placement placement, u32 threads, u64 bytes);

// The number of threads from which more give less than `percent` more throughput, up to the last point: the knee of a curve.
u32 knee_of(const std::vector<PlacementPoint>& curve, u32 percent);

} // namespace garner::tool
