// BareHeap: a heap without a collector, on a machine that counts what is asked of the system.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "heap/heap.ipp"
#include "heap/space.h"
#include "host/synthetic/objects.h"
#include "machine/linux/linux.h"

namespace garner::test {

// The real machine; every call that would be a system call about memory is counted (by many threads at once: the counts are atomic).
class CountingLinux : public Linux {
 public:
  struct Self : Linux::Self {
    Self(CountingLinux& machine, u32 worker) : Linux::Self(machine, worker) {}
  };
  word reserve(usize bytes, usize alignment) { return calls++, Linux::reserve(bytes, alignment); }
  bool open(word at, usize bytes) { return grants && Linux::open(at, bytes); }
  bool grants = true; // false: as a system whose commitment is used up
  void release(word at, usize bytes) { calls++, Linux::release(at, bytes); }
  void discard(word at, usize bytes) {
    calls++;
    discarded += bytes;
    Linux::discard(at, bytes);
  }
  Placed bind(word at, usize bytes, u32 node) { return calls++, Linux::bind(at, bytes, node); }
  Placed interleave(word at, usize bytes) { return calls++, Linux::interleave(at, bytes); }
  bool want_huge_pages(word at, usize bytes) { return asked_huge += bytes, Linux::want_huge_pages(at, bytes); }
  void bring(word at, usize bytes) {
    brought += bytes;
    if (on_bring) on_bring();
    Linux::bring(at, bytes);
  }
  std::function<void()> on_bring; // null: nobody wants to know
  u64 now() const { return clock += slow_ns; } // between two looks as much time has passed as the test says
  mutable std::atomic<u64> clock = 0;
  u64 slow_ns = 0;
  void want_small_pages(word at, usize bytes) { asked_small += bytes, Linux::want_small_pages(at, bytes); }
  std::atomic<u64> asked_small = 0, calls = 0, discarded = 0, asked_huge = 0, brought = 0;
};

// The same machine, saying that it has so many nodes and that it places pages as told.
struct ManyNodes : CountingLinux {
  struct Self : CountingLinux::Self {
    Self(ManyNodes& machine, u32 worker) : CountingLinux::Self(machine, worker) { node = worker % machine.many; }
  };
  u32 nodes() const { return many; }
  u32 current_node() const { return 0; }
  u32 node_of_worker(u32 worker) const { return worker % many; }
  u32 distance(u32 from, u32 to) const { return from == to ? 10 : 20; }
  Placed bind(word, usize, u32) { return calls++, Placed::yes; }
  Placed interleave(word, usize) { return calls++, Placed::yes; }
  bool pin(Self&, u32) { return true; }
  u32 many = 1;
};

struct BareHeap {
  explicit BareHeap(u64 limit = 0, usize region = 64 * KiB, bool poison = false, usize huge_from = ~usize(0), bool hold = false, usize reserve = 64 * MiB) {
    HeapShape shape{.reserve_bytes = reserve, .least_bytes = 4 * MiB, .region_bytes = region, .limit = limit, .poison = poison, .huge_from = huge_from, .hold = hold};
    EXPECT_TRUE(heap.init(machine, shape, {[](void*, word at, usize bytes) { synthetic::fill(at, bytes); }, nullptr}));
    space.init(heap, Role::eden, kLabelEden, 0);
  }
  ~BareHeap() { machine.release(heap.base(), heap.reserved()); }
  // The sum of all regions' charges: what the budget must say.
  u64 charges() {
    u64 sum = 0;
    for (u32 i = 0; i < heap.regions(); i++) sum += heap.region(i).charged;
    return sum;
  }

  CountingLinux machine;
  Heap<CountingLinux> heap;
  Space<CountingLinux> space;
};

} // namespace garner::test
