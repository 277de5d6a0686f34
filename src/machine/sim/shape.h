// What a machine is made of, as plain numbers: nodes, cores, links, memories, caches and what each costs.
//
// Filled by whoever read a machine file (tools/garner/machine_file.h; the schema is docs/machines.md) or by a test; find_routes()
// completes the ways. The simulated machine takes it as sim::Config::shape and looks at nothing else, so no parser is linked to it.
// Units: picoseconds, bytes, lines of 64 bytes. Rates are picoseconds per KiB, so that all arithmetic stays in integers.
// Invariants (check_shape names the first one broken): a node's distance to itself is the smallest of its row; every node has a
// way to every other; routes are by destination, as in a routing table, so two ways that meet go on together.
#pragma once
#include "machine/sim/config.h"

namespace garner::sim {

inline constexpr u32 kLinksMax = 512, kDistancesMax = 8, kMemoriesMax = 4, kCoresMax = 2048, kShapeNodesMax = kNodesMax;
inline constexpr u8 kNoStep = 0xff;

// One class of distance: between two cores, or between a core and a memory.
struct Distance {
  u64 memory;      // an unloaded read of that memory
  u64 load_dirty;  // a read of a line that a core there wrote last
  u64 load_clean;  // a read of a line that a core there has unchanged
  u64 store_dirty, store_clean; // a write to such a line
  u64 swap_dirty, swap_clean;   // a compare-and-swap, exchange or addition on such a line
};

// A kind of memory, with the controller in front of it. Reads and writes share one server.
struct Memory {
  u64 read_ps_per_kib, write_ps_per_kib;
  u64 random_extra, stream_extra; // above the latency of the distance, for a single line and within a sequence
  u32 granule;                    // bytes the device moves at least
  u32 stream_lines;               // lines in flight per core for a sequence
  u32 tier;                       // 0 is the fastest; interleaving goes round the nodes of tier 0
};

struct NodeShape {
  u32 cores; // 0: memory alone
  u32 memory;
};

struct LinkShape {
  u8 from, to; // one direction
  u64 ps_per_kib;
};

struct Shape {
  u32 nodes, links, distances, memories;
  NodeShape node[kShapeNodesMax];
  LinkShape link[kLinksMax];
  Distance distance[kDistancesMax];
  Memory memory[kMemoriesMax];
  u8 distance_of[kShapeNodesMax][kShapeNodesMax]; // [of a core][of a memory or a core]
  u8 step[kShapeNodesMax][kShapeNodesMax];        // [from][to]: the next node of the way, kNoStep when not known
  u8 within;           // class of distance between two cores of one cluster
  u32 threads;         // hardware threads of a core
  u32 cluster_cores;   // cores that share one cache; clusters do not span nodes
  u32 own_lines;       // of a core's private caches together
  u32 shared_lines;    // of a cluster's cache
  u32 prefetch_lines;  // prefetches a core can have under way
  u32 busy_percent;    // what work takes when both threads of a core work, in percent of alone
  usize page_bytes;    // 4 KiB, or a multiple: what one fault brings and one step of interleaving
  u64 shared_hit;      // a line from the cluster's cache
  u64 line_work;       // what a core does with each line of a sequence
  Costs costs;         // calls, faults, hits; what this model takes from it is listed at fabric.h
};

// Completes `step`: where nothing is set yet the shortest way, and of several that over the lowest-numbered neighbour (for two
// hops: over the lowest-numbered common neighbour). False when some node cannot be reached: from and to say which.
bool find_routes(Shape& shape, u32& from, u32& to);

// Null when all is well, else what is wrong, in words.
const char* check_shape(const Shape& shape);

// The cost of `bytes` at a rate, rounded up.
constexpr u64 at_rate(u64 bytes, u64 ps_per_kib) { return (bytes * ps_per_kib + 1023) / 1024; }
// Picoseconds per KiB of a rate in megabytes (10^6) per second.
constexpr u64 rate_of(u64 mb_per_s) { return (1024ull * 1'000'000 + mb_per_s / 2) / mb_per_s; }

} // namespace garner::sim
