// What the tests of work shared out by node have in common: objects made on a chosen node, and sums over the workers of the last phase.
#pragma once
#include "small_heap.h"

namespace garner::test {

using SimHeap = SmallHeapOn<Sim>;

inline SimConfig nodes_of_cores(u32 nodes, u32 cores) {
  SimConfig config;
  config.nodes = nodes;
  config.cores_per_node = cores;
  return config;
}

// Buffers taken from now on are of that node, where eden is fragmented.
inline void move_to(SimHeap& heap, u32 node) {
  heap.close_buffers();
  heap.self.node = node;
}
inline u32 home_of(SimHeap& heap, Ref ref) { return heap.heap().home(heap.heap().index_of(ref)); }

inline WorkerStats sums(SimHeap& heap) {
  WorkerStats sum{};
  auto& gang = heap.host.cycle->gang();
  for (u32 w = 0; w < gang.workers(); w++) {
    if (!gang.took_part(w)) continue;
    const WorkerStats& s = gang.stats(w);
    sum.steals += s.steals, sum.steals_remote += s.steals_remote, sum.withdrawals += s.withdrawals;
    sum.roots_posted += s.roots_posted, sum.roots_taken += s.roots_taken, sum.roots_remote += s.roots_remote;
    sum.requests_sent += s.requests_sent, sum.requests_served += s.requests_served, sum.flushes += s.flushes;
    sum.lookups += heap.host.cycle->collecting(w).lookups, sum.lookup_calls += heap.host.cycle->collecting(w).lookup_calls;
  }
  return sum;
}

// A list of `length` objects behind one root; returns the root's cell.
inline usize chain(SimHeap& heap, u32 length, usize more_bytes = 40) {
  usize cell = heap.root(heap.node(1, more_bytes));
  Ref last = heap.at(cell);
  for (u32 i = 1; i < length; i++) {
    Ref next = heap.node(1, more_bytes);
    heap.set(last, 0, next);
    last = next;
  }
  return cell;
}

} // namespace garner::test
