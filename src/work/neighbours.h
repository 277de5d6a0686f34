// Neighbours: for each node, all workers in the order of their distance from it, cut into rings of equal distance (T7, T14).
//
// Ring 0 of a node is the node's own workers; where it has none, the nearest ones. Nodes are listed the same way. Made once, for every worker that may ever exist: a worker
// that has not joined a phase has an empty deque. So nobody ever reads a list that is being rewritten.
#pragma once
#include "base/arena.h"
#include "work/config.h"

namespace garner {

class Neighbours {
 public:
  struct Ring { const u16* workers; u32 count; };

  // node_of(worker) < nodes, distance(from, to) smallest for from == to. False when there is no memory.
  template <class NodeOf, class Distance> bool make(u32 workers, u32 nodes, NodeOf node_of, Distance distance) {
    if (!order_.resize(usize(nodes) * workers) || !ends_.resize(usize(nodes) * workers) || !rings_.resize(nodes) || !near_.resize(usize(nodes) * nodes)) return false;
    workers_ = workers;
    nodes_ = nodes;
    for (u32 n = 0; n < nodes; n++) {
      u8* near = &near_[usize(n) * nodes];
      for (u32 m = 0; m < nodes; m++) {
        u32 at = m;
        for (; at > 0 && distance(n, near[at - 1]) > distance(n, m); at--) near[at] = near[at - 1];
        near[at] = u8(m);
      }
      u16* order = &order_[usize(n) * workers];
      for (u32 w = 0; w < workers; w++) { // insertion keeps equal distances in the order of numbers; at most 1024, once
        u32 at = w, far = distance(n, node_of(w));
        for (; at > 0 && distance(n, node_of(order[at - 1])) > far; at--) order[at] = order[at - 1];
        order[at] = u16(w);
      }
      u32 rings = 0;
      for (u32 i = 1; i <= workers; i++)
        if (i == workers || distance(n, node_of(order[i])) != distance(n, node_of(order[i - 1]))) ends_[usize(n) * workers + rings++] = u16(i);
      rings_[n] = u16(rings);
    }
    return true;
  }
  void release() {
    order_.release();
    ends_.release();
    rings_.release();
    near_.release();
  }
  u32 node(u32 of, u32 i) const { return near_[usize(of) * nodes_ + i]; } // i-th nearest; 0 is the node itself
  u32 rings(u32 node) const { return rings_[node]; }
  Ring ring(u32 node, u32 i) const {
    const u16* ends = &ends_[usize(node) * workers_];
    u32 first = i == 0 ? 0 : ends[i - 1];
    return {&order_[usize(node) * workers_] + first, ends[i] - first};
  }

 private:
  u32 workers_ = 0, nodes_ = 0;
  Vector<u16> order_, ends_, rings_; // by node
  Vector<u8> near_;
};

} // namespace garner
