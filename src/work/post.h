// Post: the queues of all nodes, and each worker's letters not yet sent. Part of a gang whose phases share work out by node.
//
// Two kinds: roots, which whoever takes one follows to its end (T3), and scan requests, which only the workers of the receiving node may
// serve (N23). A worker collects `threshold` entries for one node and hands them over under one acquisition of that queue's lock: T6 for
// roots (100), naps.seg.batch for requests (1 is the paper's). What is left is handed over by flush(): at the end of a root-scanning
// task, and before a worker looks for others' work, so that nobody goes idle on a letter.
#pragma once
#include <new>

#include "event/event.h"
#include "work/node_queue.h"

namespace garner {

enum class Mail : u8 { root, request };
inline constexpr u32 kMailKinds = 2;

template <class M> class Post {
 public:
  // False when there is no memory. Thresholds are at least 1.
  bool start(M& machine, u32 nodes, u32 workers, u32 capacity, u32 root_threshold, u32 request_threshold) {
    nodes_ = nodes;
    workers_ = workers;
    threshold_[u32(Mail::root)] = root_threshold;
    threshold_[u32(Mail::request)] = request_threshold;
    queues_ = static_cast<NodeQueue<M>*>(map_own(queue_bytes()));
    desks_ = static_cast<u8*>(map_own(usize(workers) * desk_bytes()));
    if (queues_ == nullptr || desks_ == nullptr) return false;
    for (u32 i = 0; i < kMailKinds * nodes; i++) {
      NodeQueue<M>& queue = *new (&queues_[i]) NodeQueue<M>;
      queue.uncounted_by(i < nodes ? Trap::uncounted_roots : Trap::uncounted_requests);
      if (!queue.start(machine, capacity)) return false;
    }
    return true;
  }
  void stop() {
    if (queues_ != nullptr) {
      for (u32 i = 0; i < kMailKinds * nodes_; i++)
        if (queues_[i].started()) queues_[i].stop();
      unmap_own(queues_, queue_bytes());
    }
    if (desks_ != nullptr) unmap_own(desks_, usize(workers_) * desk_bytes());
    queues_ = nullptr;
    desks_ = nullptr;
  }
  u32 nodes() const { return nodes_; }
  NodeQueue<M>& queue(Mail kind, u32 node) const { return queues_[u32(kind) * nodes_ + node]; }

  // Worker `worker` itself. True when the entry filled a batch, which has been handed over.
  bool add(Termination<M>& term, u32 worker, Mail kind, u32 node, u64 entry, WorkerStats& stats) {
    u32& held = held_of(worker, kind, node);
    entries_of(worker, kind, node)[held++] = entry;
    return held >= threshold_[u32(kind)] && send(term, worker, kind, node, stats);
  }
  // Hands over what is left for a node; false when there is nothing.
  bool send(Termination<M>& term, u32 worker, Mail kind, u32 node, WorkerStats& stats) {
    u32& held = held_of(worker, kind, node);
    if (held == 0) return false;
    (kind == Mail::root ? stats.roots_posted : stats.requests_sent) += held;
    stats.flushes++;
    queue(kind, node).put(term, entries_of(worker, kind, node), held);
    held = 0;
    return true;
  }

 private:
  // A worker's desk: how many entries it holds for each kind and node, then the entries.
  usize queue_bytes() const { return kMailKinds * nodes_ * sizeof(NodeQueue<M>); }
  usize counts_bytes() const { return align_up(usize(kMailKinds) * nodes_ * sizeof(u32), kLineBytes); }
  usize desk_bytes() const { return align_up(counts_bytes() + usize(nodes_) * (threshold_[0] + threshold_[1]) * sizeof(u64), 2 * kLineBytes); }
  u8* desk(u32 worker) const { return desks_ + usize(worker) * desk_bytes(); }
  u32& held_of(u32 worker, Mail kind, u32 node) const { return reinterpret_cast<u32*>(desk(worker))[u32(kind) * nodes_ + node]; }
  u64* entries_of(u32 worker, Mail kind, u32 node) const {
    usize before = kind == Mail::root ? 0 : usize(nodes_) * threshold_[0];
    return reinterpret_cast<u64*>(desk(worker) + counts_bytes()) + before + usize(node) * threshold_[u32(kind)];
  }

  NodeQueue<M>* queues_ = nullptr;
  u8* desks_ = nullptr;
  u32 nodes_ = 0, workers_ = 0, threshold_[kMailKinds] = {1, 1};
};

} // namespace garner
