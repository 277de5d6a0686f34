// What the program has written to while it was marked is read again beside it, as long as that leaves less to the last pause: not round after round where the program writes as fast.
//
// On the simulated machine, in its time: how long it takes from the first pause until the last one is waited for, beside a program that writes nothing, to a few pages, and to all of them; and to all
// of them with young collections that come several times while a round is read.
#include "small_heap.h"

namespace garner::test {
namespace {

constexpr u64 kTooLong = 200'000'000;

// Nanoseconds, with stores into `written` of a thousand old arrays, over and over, and a young collection after each so many of them.
u64 marked_ns(u32 written, u32 young_each = ~0u) {
  u64 ns = 0;
  SimConfig config;
  config.cores_per_node = 4;
  auto body = [&](SmallHeapOn<Sim>& heap) {
    constexpr u32 kArrays = 1000, kSlots = 500; // a page each, about
    const usize all = heap.root(heap.array(kArrays)), leaf = heap.root(heap.leaf());
    for (u32 i = 0; i < kArrays; i++) {
      const usize one = heap.root(heap.array(kSlots));
      for (u32 n = 0; n < kSlots; n++) heap.set(heap.at(one), n, heap.node(1));
      heap.set(heap.at(all), i, heap.at(one));
    }
    heap.young();
    heap.ask(Kind::young1, Cause::eden_full, true);
    ASSERT_TRUE(heap.host.cycle->marking());
    const u64 began = heap.machine.now();
    auto goes_on = [&] { return heap.host.cycle->marking() && heap.host.cycle->awaits() != Awaits::last_pause && heap.machine.now() < began + kTooLong; };
    for (u32 i = 0; goes_on(); i++) {
      if (written != 0) heap.set(heap.at(all + 2 + i % written), i % 7, heap.at(leaf));
      else heap.self.pause();
      if (i % young_each == young_each - 1) heap.young();
    }
    ns = heap.machine.now() - began;
  };
  on_sim(config, "marking=concurrent,tenure=fixed,tenure_age=0,verify=off", body);
  return ns;
}

TEST(Revisions, EndWhereTheProgramWritesAsFast) {
  const u64 none = marked_ns(0), few = marked_ns(100), all = marked_ns(1000);
  printf("%llu us where nothing is written, %llu where few pages are, %llu where all are\n", (unsigned long long)none / 1000, (unsigned long long)few / 1000, (unsigned long long)all / 1000);
  EXPECT_GT(all, none + none / 20) << "what was written was not read again: the test is void";
  EXPECT_LT(all, none + none / 4) << "8 revisions take 24 ms, 2 take 16, one takes 12";
  EXPECT_LT(few, none + none / 20);
}

TEST(Revisions, GoOnWhereAYoungCollectionHasFoundThem) {
  const u64 all = marked_ns(1000), often = marked_ns(1000, 10000);
  printf("%llu us, %llu with young collections\n", (unsigned long long)all / 1000, (unsigned long long)often / 1000);
  EXPECT_LT(often, all + all / 2) << "where each begins a round anew it does not end";
}

} // namespace
} // namespace garner::test
