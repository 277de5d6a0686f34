// collect.ahead_by=strands: what hangs together lies together after a collection, in the order in which a program would walk it, and others still find work.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "small_heap.h"

namespace garner::test {
namespace {

constexpr usize kNodeBytes = 48;

template <class Heap> Ref small_node(Heap& heap) { return heap.node(2, kNodeBytes - kMinObjectBytes - 2 * kWordBytes); }

// A whole binary tree of 2^levels - 1 nodes, made in any order. Its root's cell is the only one left.
template <class Heap> void make_tree(Heap& heap, u32 levels) {
  const u32 nodes = (1u << levels) - 1;
  std::vector<u32> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::vector<Ref> made(nodes);
  for (u32 i : order) made[i] = small_node(heap);
  for (u32 i = 0; 2 * i + 2 < nodes; i++) heap.set(made[i], 0, made[2 * i + 1]), heap.set(made[i], 1, made[2 * i + 2]);
  heap.root(made[0]);
}

// Of the steps of a walk, first reference first, the part in percent that leads a little forward.
struct Walk {
  word last = 0;
  u64 steps = 0, near = 0;
  void at(Ref ref) {
    steps++;
    near += ref.at > last && ref.at - last <= 2 * kNodeBytes;
    last = ref.at;
  }
  u64 percent() const { return near * 100 / steps; }
};
void walk(SmallHeap& heap, Ref ref, Walk& w) {
  if (ref.at == 0) return;
  w.at(ref);
  walk(heap, heap.get(ref, 0), w);
  walk(heap, heap.get(ref, 1), w);
}

u64 near_in_tree(const char* options) {
  SmallHeap heap(options);
  make_tree(heap, 14);
  heap.young();
  Walk w;
  walk(heap, heap.at(0), w);
  EXPECT_EQ(w.steps, (1u << 14) - 1);
  return w.percent();
}

TEST(Strands, N7ATreeLiesDepthFirst) {
  EXPECT_GE(near_in_tree("ahead_by=strands"), 85u);
  EXPECT_LE(near_in_tree("ahead_by=queue"), 50u) << "if the other order is as good nothing here shows anything";
}

u64 near_in_chains(const char* options) {
  SmallHeap heap(options);
  constexpr u32 kChains = 40, kLong = 400;
  usize table = heap.root(heap.array(kChains));
  std::vector<Ref> ends(kChains);
  for (u32 i = 0; i < kChains; i++) heap.set(heap.at(table), i, ends[i] = small_node(heap));
  for (u32 n = 1; n < kLong; n++)
    for (Ref& end : ends) {
      Ref next = small_node(heap);
      heap.set(end, 0, next);
      end = next;
    }
  heap.young();
  Walk w;
  for (u32 i = 0; i < kChains; i++)
    for (Ref ref = heap.get(heap.at(table), i); ref.at != 0; ref = heap.get(ref, 0)) w.at(ref);
  EXPECT_EQ(w.steps, kChains * kLong);
  return w.percent();
}

TEST(Strands, N7ChainsLieOneAfterTheOther) {
  EXPECT_GE(near_in_chains("ahead_by=strands"), 90u);
  EXPECT_LE(near_in_chains("ahead_by=queue"), 20u);
}

TEST(Strands, N7LeavesOfAnArrayLieSideBySide) {
  SmallHeap heap("ahead_by=strands");
  constexpr u32 kLeaves = 3000;
  usize table = heap.root(heap.array(kLeaves));
  for (u32 i = 0; i < kLeaves; i++) heap.set(heap.at(table), (i * 7) % kLeaves, heap.leaf(kNodeBytes)); // made in another order than they stand in
  heap.young();
  u64 near = 0;
  for (u32 i = 1; i < kLeaves; i++) {
    const word a = heap.get(heap.at(table), i - 1).at, b = heap.get(heap.at(table), i).at;
    near += (a < b ? b - a : a - b) <= 2 * kNodeBytes;
  }
  EXPECT_GE(near, kLeaves * 9 / 10);
}

// What a strand keeps thieves do not see; so one root's tree must not stay with one worker.
TEST(Strands, N9OneRootFeedsEverybody) {
  SimConfig config;
  config.cores_per_node = 4;
  on_sim(config, "workers=4,woken_per=0,ahead_by=strands", [&](SmallHeapOn<Sim>& heap) {
    make_tree(heap, 13);
    heap.young();
    u64 all = 0, least = ~u64(0);
    for (u32 w = 0; w < 4; w++) {
      const u64 copied = heap.host.cycle->collecting(w).copied_objects;
      all += copied;
      least = std::min(least, copied);
    }
    EXPECT_EQ(all, (1u << 13) - 1);
    EXPECT_GE(least, all / 10);
  });
}

} // namespace
} // namespace garner::test
