// On machines that count what is asked of the system, and refuse it when told to. N3, N22: a collection happens exactly when eden's counter reaches its limit, wherever the buffers lie;
// growing and shrinking eden makes no system call. Marking beside the program: pages that cannot be read there are left to its last pause.
#include <pthread.h>
#include <sched.h>

#include "collect/compact/compaction.ipp"
#include "collect/evacuate/evacuation.ipp"
#include "cycle/cycle.ipp"
#include "heap/bare_heap.h"
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(CollectionTrigger, N22N3TheCounterDecides) {
  for (u64 limit : {200 * KiB, 777 * KiB, 3 * MiB}) {
    SmallHeap heap("tlab=8k");
    heap.host.cycle->spaces().eden.set_limit(limit);
    u64 before = heap.host.cycle->count(), bytes = 0;
    while (heap.host.cycle->count() == before) {
      heap.leaf(64);
      bytes += 64;
    }
    EXPECT_GT(bytes + 8 * KiB + 64, limit);
    EXPECT_LE(bytes, limit + 64);
  }
}

TEST(CollectionTrigger, N3NoCollectionBeforeEdenIsFull) {
  SmallHeap heap;
  for (u32 i = 0; i < 7 * 16 * 1024; i++) heap.leaf(64); // 7 of 8 MiB
  EXPECT_EQ(heap.host.cycle->count(), 0u);
}

TEST(CollectionTrigger, N22ResizingMakesNoSystemCallAndMovesNoSpace) {
  CountingLinux machine;
  SmallHeapOn<CountingLinux> heap(machine, "retain=on");
  auto& space = heap.host.cycle->spaces().eden;
  auto fill = [&](u64 eden) {
    space.set_limit(eden);
    for (u64 before = heap.host.cycle->count(); heap.host.cycle->count() == before;) heap.leaf(128);
  };
  fill(4 * MiB); // the pages come once
  word base = heap.heap().base();
  u64 calls = machine.calls, charged = heap.heap().budget().charged();
  for (u64 eden : {512 * KiB, 4 * MiB, 256 * KiB, 2 * MiB, 4 * MiB}) fill(eden);
  EXPECT_EQ(machine.calls, calls);
  EXPECT_EQ(heap.heap().budget().charged(), charged);
  EXPECT_EQ(heap.heap().base(), base);
}

// Threads on all nodes fill eden; its size goes up and down. The counters of N22 need no call of the system for that; the flawed fragments of N21
// drop and bind pages each time.
TEST(CollectionTrigger, N22FragmentedSpacesAreResizedWithoutASystemCallN21NeedsMany) {
  for (const char* policy : {"fragmented", "fragmented_hotspot"}) {
    ManyNodes machine;
    machine.many = 4;
    SmallHeapOn<ManyNodes> heap(machine, std::string("tlab=8k,retain=on,space_survivor=firsttouch,space_old=firsttouch,space_eden=") + policy);
    auto& space = heap.host.cycle->spaces().eden;
    auto fill = [&](u64 eden) {
      space.set_limit(eden);
      heap.self.node = 0;
      const u64 before = heap.host.cycle->count();
      for (u32 i = 1; heap.host.cycle->count() == before; i++) {
        heap.leaf(128);
        if (i % 64 == 0) heap.close_buffers(), heap.self.node = (heap.self.node + 1) % 4;
      }
    };
    for (u32 i = 0; i < 3; i++) fill(4 * MiB); // the pages come once
    const u64 calls = machine.calls;
    for (u64 eden : {512 * KiB, 4 * MiB, 256 * KiB, 2 * MiB, 4 * MiB}) fill(eden);
    if (policy[10] == 0) EXPECT_EQ(machine.calls, calls);
    else EXPECT_GT(machine.calls, calls + 10);
  }
}

// Orders all processors so many times, and then refuses; a page it is told of must have been cleaned by then, or nothing is tested.
struct Refusing : CountingLinux {
  struct Self : CountingLinux::Self {
    Self(Refusing& machine, u32 worker) : CountingLinux::Self(machine, worker) {}
  };
  bool order_all() {
    if (granted != 0) return granted--, Linux::order_all();
    was_clean = was_clean || (written && !written());
    refused.fetch_add_relaxed(1);
    return false;
  }
  // The thread that marks looks here before its first step: it waits while the gate is shut.
  u64 now() const {
    while (!pthread_equal(pthread_self(), test) && gate.load_acquire() == 0) sched_yield(); // pairs with the test's release
    return Linux::now();
  }
  pthread_t test = pthread_self();
  garner::Atomic<u32> gate{1};
  u32 granted = 1; // the first pause's
  bool was_clean = false; // read when the marking is over
  std::function<bool()> written;
  garner::Atomic<u32> refused{0};
};

TEST(CountedCalls, PagesThatNoBarrierCameAfterAreNotedAgain) {
  Refusing machine;
  SmallHeapOn<Refusing> heap(machine, "marking=concurrent,workers=1,tenure=fixed,tenure_age=1");
  const usize last = heap.root(heap.node(1)), leaf = heap.root(heap.leaf());
  Request request;
  request.kind = Kind::young1;
  for (u32 i = 0; i < 2; i++) heap.mutator.collect(heap.self, request); // all is old
  const word slot = synthetic::slot_at(heap.at(last), 0).at, page = align_down(slot, kWrittenBytes);
  auto& written = heap.heap().written();
  machine.written = [&] { return written.is(page); };
  request.begin_marking = true;
  machine.gate.store_relaxed(0); // the marking thread's first look is after the store below
  heap.mutator.collect(heap.self, request);
  heap.set(heap.at(last), 0, heap.at(leaf)); // the barrier notes the page
  const bool marking = heap.host.cycle->marking(), noted = written.is(page);
  machine.gate.store_release(1); // before anything that ends this: the thread is waited for
  ASSERT_TRUE(marking && noted);
  const auto within = [&](auto fn) { // a minute
    for (const u64 began = machine.now(); !fn() && machine.now() - began < 60'000'000'000;) heap.self.yield();
    return fn();
  };
  ASSERT_TRUE(within([&] { return machine.refused.load_relaxed() != 0; })) << "the thread has not asked";
  ASSERT_TRUE(within([&] { return written.is(page); })) << "the last pause would not read it";
  request.begin_marking = false;
  for (const u64 end = heap.self.now() + SmallHeap::kPatience; heap.self.now() < end && heap.host.cycle->marking();) {
    EXPECT_TRUE(written.is(page)) << "the last pause would not read it";
    heap.self.yield();
    heap.mutator.collect(heap.self, request);
  }
  EXPECT_TRUE(heap.host.cycle->ended_marking());
  EXPECT_TRUE(machine.was_clean) << "the page was not among those";
  EXPECT_EQ(machine.refused.load_relaxed(), 1u) << "it goes on asking";
}

} // namespace
} // namespace garner::test
