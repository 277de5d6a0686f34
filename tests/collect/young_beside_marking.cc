// A young collection never waits for the marking beside the program: it waits for the piece that the marking's thread has in hand, and that is as long whatever is left to mark.
//
// On the simulated machine, in its time: the same program with so many old objects and with twenty times as many asks for young collections all the while they are marked.
#include "small_heap.h"

namespace garner::test {
namespace {

struct Waits {
  u64 collections = 0; // young ones after which something was left to mark
  u64 stop_ns = 0, pause_ns = 0; // the longest of theirs: until the program and the thread stood, and in all
  u64 marked_ns = 0;   // the longest marking, from its first pause until nothing was left
};

using Build = void (*)(SmallHeapOn<Sim>& heap, u32 times); // makes so many times its old objects, and roots them

void play(Waits& seen, Build build, u32 times, u64 seed) {
  SimConfig config;
  config.cores_per_node = 4;
  config.seed = seed;
  auto body = [&](SmallHeapOn<Sim>& heap) {
    build(heap, times);
    heap.young();
    heap.ask(Kind::young1, Cause::eden_full, true);
    ASSERT_TRUE(heap.host.cycle->marking());
    for (const u64 began = heap.machine.now(); heap.host.cycle->awaits() != Awaits::last_pause; seen.marked_ns = max_of(seen.marked_ns, heap.machine.now() - began)) {
      for (const u64 until = heap.machine.now() + 1'000 + heap.self.random.below(100'000); heap.machine.now() < until;) heap.self.pause();
      heap.young();
      if (heap.host.cycle->awaits() == Awaits::last_pause) continue;
      ASSERT_TRUE(heap.host.cycle->marking());
      seen.collections++;
      seen.stop_ns = max_of(seen.stop_ns, heap.last().stop_ns);
      seen.pause_ns = max_of(seen.pause_ns, heap.last().pause_ns);
    }
  };
  on_sim(config, "marking=concurrent,tenure=fixed,tenure_age=0,verify=off", body);
}

// Twenty runs with few objects, so that as many moments are looked at as in one with twenty times as many.
void check(Build build) {
  constexpr u32 kTimes = 20;
  Waits few, many;
  for (u64 seed = 1; seed <= kTimes; seed++) play(few, build, 1, seed);
  play(many, build, kTimes, 1);
  for (const Waits& w : {few, many})
    printf("%llu young collections during at most %llu us of marking; at most %llu us to stop, %llu us in all\n", (unsigned long long)w.collections, (unsigned long long)w.marked_ns / 1000,
           (unsigned long long)w.stop_ns / 1000, (unsigned long long)w.pause_ns / 1000);
  EXPECT_GT(many.marked_ns, kTimes / 2 * few.marked_ns) << "is not much more to mark: the test is void";
  EXPECT_GE(few.collections, kTimes);
  EXPECT_GE(many.collections, kTimes) << "the marking had ended when a young collection had";
  EXPECT_LT(many.stop_ns, 2 * few.stop_ns);
  EXPECT_LT(many.pause_ns, 2 * few.pause_ns);
  EXPECT_LT(many.pause_ns * kTimes, many.marked_ns);
}

TEST(YoungBesideMarking, DoesNotWaitForSmallObjects) {
  check([](SmallHeapOn<Sim>& heap, u32 times) {
    for (u32 i = 0; i < 40 * times; i++) { // more of them than the thread takes before it looks whether somebody waits
      const usize all = heap.root(heap.array(200));
      for (u32 n = 0; n < 200; n++) heap.set(heap.at(all), n, heap.node(2));
    }
  });
}

// Where a single object is much of what there is to mark, the thread has a part of it in hand.
TEST(YoungBesideMarking, DoesNotWaitForLargeArrays) {
  check([](SmallHeapOn<Sim>& heap, u32 times) {
    const usize leaf = heap.root(heap.leaf());
    const usize slots = 128 * KiB * times;
    const usize all = heap.root(heap.array(slots));
    for (usize n = 0; n < slots; n++) heap.set(heap.at(all), n, heap.at(leaf));
  });
}

} // namespace
} // namespace garner::test
