// TaskQueue: the tasks of one phase, handed out in order, each once (N6, N16).
//
// A task is its number: 0 … tasks-1. What the numbers mean is the gang's business. The conductor opens the queue for an epoch while
// nobody works; workers take with the epoch they work for. Three forms:
//   monitor   a counter under the lock of the workers' monitor, one acquisition per take: the baseline and its hot lock.
//   msqueue   Michael and Scott's linked list with a dummy node; a fresh chain per epoch.
//   array     the list is an array whose entries are their own indices, so nothing is left but the head word.
//
// THE LATE DEQUEUE (N16). Workers are not waited for at the end of a phase, so:
//   1. worker A sees phase e over and is put aside by the system before it asks the queue once more;
//   2. the conductor runs the program, a new collection begins, the queue is opened for e+1;
//   3. A goes on and takes: it would get a task of e+1 under the rules of e, or follow a half-built list.
// Excluded by the epoch in the head word: A's compare-and-swap expects epoch e and fails, or A sees e+1 and goes home. The head of
// e+1 is stored with release after all nodes are filled, so whoever sees it sees them. In the monitor form the epoch is compared
// under the lock. Node memory is never unmapped or moved while the gang lives: a late A may read nodes of a chain being refilled
// (they are atomics), gets nonsense, and its compare-and-swap fails. Chains alternate, so chain e is refilled only after e+1 ended.
#pragma once
#include "base/check.h"
#include "seam/watch.h"
#include "work/config.h"
#include "work/monitor.h"
#include "work/tables.h"

namespace garner {

inline constexpr u32 kNoTask = ~u32(0);

template <class M> class TaskQueue {
 public:
  using Self = typename M::Self;
  static constexpr u32 kTasksMax = 1 << 16; // of one phase; the gang puts more root tasks into groups

  // False when there is no memory. `lock` is the monitor of the workers.
  bool start(M& machine, TaskQueueKind kind, Monitor<M>& lock);
  void stop();

  // Conductor, between phases. Who learns of `epoch` afterwards (by an acquire of a release that follows) may take.
  void open(Self& self, u32 epoch, u32 tasks);

  // Any worker: the next task of this epoch, or kNoTask when there is none or the epoch is past. Adds time spent waiting.
  GARNER_INLINE u32 take(Self& self, u32 epoch, u64& waited_ns) {
    switch (kind_) {
      case TaskQueueKind::array: return take_array(epoch);
      case TaskQueueKind::msqueue: return take_linked(epoch);
      case TaskQueueKind::monitor: break;
    }
    return take_locked(self, epoch, waited_ns);
  }

  // The same for a worker that is counted in and not idle (termination.h): the phase cannot end meanwhile, so the word is of its epoch, and the array
  // form need not compare. n workers that come at once then change the word n times and not n*n/2.
  GARNER_INLINE u32 take_within(Self& self, u32 epoch, u64& waited_ns) { return kind_ == TaskQueueKind::array ? take_counted() : take(self, epoch, waited_ns); }

 private:
  struct Node {
    typename M::template Atomic<u32> next; // node number, 0 at the end; relaxed: published by the head word
    typename M::template Atomic<u32> task;
  };
  // array: epoch:24 | end:20 | next:20.   msqueue: epoch:24 | dummy node's number:40.
  static constexpr u32 kIndexBits = 20;
  static constexpr u64 kIndexMask = (u64(1) << kIndexBits) - 1, kNodeMask = (u64(1) << 40) - 1;
  static_assert(kEpochBits + 2 * kIndexBits == 64 && kTasksMax <= kIndexMask);
  static u32 epoch_of(u64 head) { return u32(head >> 40); }

  u32 take_array(u32 epoch);
  u32 take_counted();
  u32 take_linked(u32 epoch);
  u32 take_locked(Self& self, u32 epoch, u64& waited_ns);
  static constexpr usize chain_bytes() { return (usize(kTasksMax) + 1) * sizeof(Node); }

  // Opened with release, taken from with CAS acq_rel, read with acquire. The acquire pairs with open's release (else: old nodes);
  // takes are read-modify-writes, so a reader of any later head still synchronises with open.
  alignas(kLineBytes) typename M::template Atomic<u64> head_;
  alignas(kLineBytes) TaskQueueKind kind_ = TaskQueueKind::array;
  M* machine_ = nullptr;
  Monitor<M>* lock_ = nullptr;
  Node* chain_[2] = {nullptr, nullptr};     // msqueue: chain of odd and of even epochs
  u32 locked_epoch_ = 0, next_ = 0, end_ = 0; // monitor: guarded by the lock
};

} // namespace garner
