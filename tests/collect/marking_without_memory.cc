// Marking beside the program begins with a list of objects. Without memory for it there is no marking, and the program's barrier is left as it was; what the list took is given back.
#include <sys/resource.h>

#include <vector>

#include "small_heap.h"

namespace garner::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// No more address space while one lives: lists cannot grow, and what is mapped stays usable.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit none{64 * KiB, before_.rlim_max};
    setrlimit(RLIMIT_AS, &none);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_;
};

// A young object that refers to this many old ones; nothing else does.
void make_targets(SmallHeap& heap, usize targets) {
  heap.drop_roots();
  const usize cell = heap.root(heap.array(targets));
  for (usize i = 0; i < targets; i++) heap.set(heap.at(cell), i, heap.leaf());
  heap.young();
  heap.young(); // old from here on
  Ref young = heap.array(targets);
  for (usize i = 0; i < targets; i++) heap.set(young, i, heap.get(heap.at(cell), i));
  heap.drop_roots();
  heap.root(young);
}

void collect(SmallHeap& heap, bool begins_marking) {
  Request request;
  request.kind = Kind::young1;
  request.begin_marking = begins_marking;
  heap.mutator.collect(heap.self, request);
}

void begin_marking(SmallHeap& heap) { collect(heap, true); }

template <class Done> void collect_until(SmallHeap& heap, Done done) {
  for (const u64 end = heap.self.now() + SmallHeap::kPatience; heap.self.now() < end && !done();) {
    heap.self.yield();
    collect(heap, false);
  }
}

void end_marking(SmallHeap& heap) {
  collect_until(heap, [&] { return !heap.host.cycle->marking(); });
  EXPECT_TRUE(heap.host.cycle->ended_marking());
}

TEST(MarkingWithoutMemory, IsNotBegunAndLeavesTheBarrierAlone) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs memory of its own";
  constexpr usize kFew = 100, kMany = 4000; // a list begins with a page: 512 entries
  SmallHeap heap("marking=concurrent,tenure=fixed,tenure_age=1,workers=1,verify=off");
  make_targets(heap, kFew);
  begin_marking(heap); // whatever else a collection needs has its memory from here on
  ASSERT_TRUE(heap.host.cycle->marking());
  end_marking(heap);
  make_targets(heap, kMany);
  {
    NoMoreMemory none;
    begin_marking(heap);
  }
  EXPECT_FALSE(heap.host.cycle->marking());
  EXPECT_FALSE(heap.heap().marking());
  make_targets(heap, kMany);
  begin_marking(heap);
  EXPECT_TRUE(heap.host.cycle->marking()) << "with memory it is begun";
  end_marking(heap);
}

// The thread's stack is lost on the way, so the last pause marks everything itself. What it then chooses to empty is emptied by later collections, and what becomes old meanwhile and refers there
// must be found: the marking that was given up must not have taken that back.
TEST(MarkingWithoutMemory, WhatMovesBehindALostStackIsStillFound) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs memory of its own";
  constexpr u32 kAll = 2000, kKept = 200, kMany = 6000; // nodes of 1000 bytes, of which every tenth is kept; slots for the stack to grow by
  SmallHeap heap("marking=concurrent,moved_at_once=64k,tenure_age=0,tenure=fixed,workers=1,verify=off,sweep_beside=off");
  auto until = [&](auto done) { collect_until(heap, done); };
  auto idle = [&] { return !heap.host.cycle->marking() && !heap.host.cycle->moving() && !heap.heap().marking(); };
  auto sparse = [&] { // kKept old nodes in regions that are mostly empty
    const usize from = heap.mutator.cells.size();
    for (u32 i = 0; i < kAll; i++) heap.root(heap.node(2, 1000));
    heap.young();
    for (u32 i = 0; i < kKept; i++) heap.mutator.cells[from + i] = heap.mutator.cells[from + i * (kAll / kKept)];
    heap.mutator.cells.truncate(from + kKept);
    return from;
  };
  sparse();
  const usize many = heap.root(heap.array(kMany));
  for (u32 i = 0; i < kMany; i++) heap.set(heap.at(many), i, heap.node(1, 40));
  heap.young();
  begin_marking(heap); // whatever else a collection needs has its memory from here on
  until([&] { return heap.host.cycle->ended_marking(); });
  until(idle);
  const usize from = sparse();
  collect(heap, false); // the dead of the young are gone
  until(idle);
  {
    NoMoreMemory none;
    begin_marking(heap);
    for (const u64 end = heap.self.now() + SmallHeap::kPatience; heap.self.now() < end && heap.host.cycle->awaits() != Awaits::last_pause;) heap.self.yield();
  }
  ASSERT_TRUE(heap.host.cycle->marking());
  collect(heap, false);
  ASSERT_TRUE(heap.host.cycle->ended_marking());
  ASSERT_TRUE(heap.host.cycle->moving()) << "the case: something is to be emptied";
  EXPECT_TRUE(heap.heap().marking()) << "what becomes old is marked until that is over";
  u32 ids[kKept];
  for (u32 i = 0; i < kKept; i++) { // young holders, which alone refer to what is to move
    ids[i] = heap.id(heap.at(from + i));
    const Ref holder = heap.node(1);
    const usize cell = heap.root(holder);
    heap.set(heap.at(cell), 0, heap.at(from + i));
    heap.mutator.cells[from + i] = heap.mutator.cells[cell];
    heap.mutator.cells.truncate(cell);
  }
  until([&] { return !heap.host.cycle->moving(); });
  for (u32 i = 0; i < kAll; i++) heap.root(heap.node(1, 900)); // what was freed is used again
  heap.young();
  u32 wrong = 0;
  for (u32 i = 0; i < kKept; i++) {
    const Ref to = heap.get(heap.at(from + i), 0);
    wrong += !heap.heap().contains(to.at) || heap.heap().region_of(to).role == Role::free || heap.id(to) != ids[i];
  }
  EXPECT_EQ(wrong, 0u);
}

// A list that was long once is no part of the heap's limit for ever.
TEST(MarkingWithoutMemory, WhatAListTookIsGivenBack) {
  constexpr usize kArrays = 25, kEach = 4000; // old objects that a marking begins with: 800 KB of list
  SmallHeap heap("marking=concurrent,tenure=fixed,tenure_age=1,workers=1,verify=off");
  make_targets(heap, 100);
  begin_marking(heap);
  end_marking(heap);
  std::vector<usize> cells;
  for (usize n = 0; n < kArrays; n++) {
    cells.push_back(heap.root(heap.array(kEach)));
    for (usize i = 0; i < kEach; i++) heap.set(heap.at(cells[n]), i, heap.leaf());
    heap.young();
  }
  heap.young();
  heap.young(); // all of it is old, and what that took for lists is given back
  const usize before = list_bytes();
  std::vector<Ref> young;
  for (usize n = 0; n < kArrays; n++) {
    young.push_back(heap.array(kEach));
    for (usize i = 0; i < kEach; i++) heap.set(young[n], i, heap.get(heap.at(cells[n]), i));
  }
  heap.drop_roots();
  for (Ref ref : young) heap.root(ref);
  begin_marking(heap);
  EXPECT_GT(list_bytes(), before + 512 * KiB) << "the case";
  end_marking(heap);
  for (u64 end = heap.self.now() + SmallHeap::kPatience; heap.self.now() < end && list_bytes() > before + 256 * KiB;) {
    heap.self.yield();
    heap.young();
  }
  EXPECT_LE(list_bytes(), before + 256 * KiB);
}

} // namespace
} // namespace garner::test
