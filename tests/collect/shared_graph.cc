// N7: whoever wins the header copies; everybody else follows. Many threads on one shared graph: one copy of each object, the graph
// the same, and the space of those who lost is given back.
#include <map>
#include <set>

#include "small_heap.h"

namespace garner::test {
namespace {

// Layers of nodes, each with slots to any nodes of the next layer: nearly every object is reached by many workers at once.
struct Dag {
  static constexpr u32 kLayers = 12, kWidth = 300, kSlots = 6;
  explicit Dag(SmallHeap& heap) {
    Random random(1);
    std::vector<Ref> below, layer;
    for (u32 l = 0; l < kLayers; l++, below = layer) {
      layer.clear();
      for (u32 i = 0; i < kWidth; i++) {
        Ref node = heap.node(kSlots, 8 * (random.below(6)));
        layer.push_back(node);
        for (u32 s = 0; s < kSlots && !below.empty(); s++) {
          usize to = random.below(below.size());
          heap.set(node, s, below[to]);
          edges[{heap.id(node), s}] = heap.id(below[to]);
        }
      }
    }
    for (u32 copies = 0; copies < 4; copies++)
      for (Ref node : layer) reachable.insert(heap.id(heap.at(heap.root(node))));
    for (auto it = edges.rbegin(); it != edges.rend(); ++it) // identities fall from layer to layer
      if (reachable.count(it->first.first)) reachable.insert(it->second);
  }
  void check(SmallHeap& heap) {
    std::map<u32, word> at;
    heap.each_object([&](Ref ref) {
      if (heap.host.filler(ref)) return;
      ASSERT_TRUE(at.insert({heap.id(ref), ref.at}).second) << "two copies of one object";
    });
    ASSERT_EQ(at.size(), reachable.size());
    for (auto& [from, to] : edges)
      if (reachable.count(from.first)) { ASSERT_EQ(heap.get({at[from.first]}, from.second).at, at[to]); }
  }
  std::map<std::pair<u32, u32>, u32> edges;
  std::set<u32> reachable;
};

TEST(SharedGraph, N7OneCopyEachBySixtyFourThreads) {
  SmallHeap heap("workers=64,woken_per=0,root_batch=1,plab_young=1k,plab_old=1k,tenure_age=6,verify=after");
  Dag dag(heap);
  for (u32 round = 0; round < 6; round++) {
    heap.young();
    dag.check(heap);
    if (::testing::Test::HasFatalFailure()) return;
    u64 copied = 0, bytes = 0;
    for (u32 w = 0; w < 64; w++) copied += heap.host.cycle->collecting(w).copied_objects, bytes += heap.host.cycle->collecting(w).copied_bytes;
    EXPECT_EQ(copied, dag.reachable.size());
    u64 live = 0;
    heap.each_object([&](Ref ref) { live += heap.host.filler(ref) ? 0 : heap.host.size(ref); });
    EXPECT_EQ(bytes, live);
  }
}

// Lost races cost space only while they last: what a loser carved lies under its next copy, or is a filler. Forced by the simulated
// machine, which switches between the copy and the compare-and-swap.
TEST(SharedGraph, N7LosersGiveTheirSpaceBack) {
  u64 lost = 0;
  for (u64 seed = 1; seed <= 10; seed++) {
    SimConfig config;
    config.picker = sim::Picker::seeded;
    config.seed = seed;
    config.switch_one_in = 2;
    on_sim(config, "workers=4,woken_per=0,root_batch=1,plab_young=16k", [&](SmallHeapOn<Sim>& heap) {
      for (u32 i = 0; i < 200; i++) {
        Ref shared = heap.leaf(200);
        for (u32 copies = 0; copies < 4; copies++) heap.root(shared);
      }
      heap.young();
      u64 copied = 0, buffers = 0;
      for (u32 w = 0; w < 4; w++) {
        auto& worker = heap.host.cycle->collecting(w);
        copied += worker.copied_objects;
        lost += worker.lost_races;
        buffers += worker.buffers_taken;
      }
      EXPECT_EQ(copied, 200u);
      EXPECT_EQ(heap.objects(), 200u);
      EXPECT_LE(buffers, 4u * (200 * 200 / (16 * KiB) + 1)) << "losers used up buffers";
    });
  }
  EXPECT_GT(lost, 50u) << "nobody ever lost: the test shows nothing";
}

} // namespace
} // namespace garner::test
