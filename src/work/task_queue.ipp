// Bodies of task_queue.h.
#pragma once
#include "work/task_queue.h"

namespace garner {

template <class M> bool TaskQueue<M>::start(M& machine, TaskQueueKind kind, Monitor<M>& lock) {
  machine_ = &machine;
  kind_ = kind;
  lock_ = &lock;
  locked_epoch_ = next_ = end_ = 0;
  head_.store_relaxed(0); // epoch 0: nobody works for it
  if (kind != TaskQueueKind::msqueue) return true;
  for (Node*& chain : chain_) {
    chain = static_cast<Node*>(map_table(*machine_, chain_bytes()));
    if (chain == nullptr) return false;
  }
  return true;
}

template <class M> void TaskQueue<M>::stop() {
  for (Node*& chain : chain_) {
    if (chain != nullptr) unmap_table(*machine_, chain, chain_bytes());
    chain = nullptr;
  }
}

template <class M> void TaskQueue<M>::open(Self& self, u32 epoch, u32 tasks) {
  GARNER_CHECK(tasks <= kTasksMax && epoch <= kEpochMax, "task queue");
  switch (kind_) {
    case TaskQueueKind::array:
      head_.store_release(u64(epoch) << 40 | u64(tasks) << kIndexBits);
      return;
    case TaskQueueKind::msqueue: {
      Node* chain = chain_[epoch & 1]; // node 0 is the dummy, node i + 1 holds task i
      for (u32 i = 0; i < tasks; i++) {
        writes<M>(chain[i].next).store_relaxed(i + 1);
        writes<M>(chain[i + 1].task).store_relaxed(i);
      }
      writes<M>(chain[tasks].next).store_relaxed(0);
      head_.store_release(u64(epoch) << 40); // the whole list appears in this one store
      return;
    }
    case TaskQueueKind::monitor:
      lock_->lock(self);
      writes<M>(locked_epoch_) = epoch;
      writes<M>(next_) = 0;
      end_ = tasks;
      lock_->unlock(self);
      return;
  }
}

template <class M> u32 TaskQueue<M>::take_array(u32 epoch) {
  u64 head = head_.load_acquire();
  while (epoch_of(head) == epoch || mutated<M>(Trap::untagged_queue)) {
    u32 next = u32(head & kIndexMask), end = u32(head >> kIndexBits & kIndexMask);
    if (next >= end) return kNoTask;
    if (head_.cas_acq_rel(head, head + 1)) return next; // a failure leaves what was found in `head`
  }
  return kNoTask;
}

// Each worker passes the end once at most, so `next` stays within its bits.
template <class M> u32 TaskQueue<M>::take_counted() {
  u64 head = head_.load_relaxed(); // relaxed, as the addition: what the numbers mean came with the stamp (parking.h)
  if (u32(head & kIndexMask) >= u32(head >> kIndexBits & kIndexMask)) return kNoTask;
  u32 next = u32(head_.fetch_add_relaxed(1) & kIndexMask);
  return next < u32(head >> kIndexBits & kIndexMask) ? next : kNoTask;
}

template <class M> u32 TaskQueue<M>::take_linked(u32 epoch) {
  u64 head = head_.load_acquire();
  while (epoch_of(head) == epoch || mutated<M>(Trap::untagged_queue)) {
    Node* chain = chain_[epoch_of(head) & 1];
    u32 next = guesses<M>(chain[head & kNodeMask].next).load_relaxed();
    if (next == 0) { // the end, or a late reader in a chain being refilled: the epoch is past either way
      guessed<M>(false);
      return kNoTask;
    }
    u32 task = guesses<M>(chain[next].task).load_relaxed(); // before the CAS, as Michael and Scott do: after it the node is the dummy
    bool won = head_.cas_acq_rel(head, (head & ~kNodeMask) | next);
    guessed<M>(won);
    if (won) return task;
  }
  return kNoTask;
}

template <class M> u32 TaskQueue<M>::take_locked(Self& self, u32 epoch, u64& waited_ns) {
  waited_ns += lock_->lock(self);
  u32 task = reads<M>(locked_epoch_) == epoch && next_ != end_ ? writes<M>(next_)++ : kNoTask;
  lock_->unlock(self);
  return task;
}

} // namespace garner
