// N18, N19: with first touch, what one thread fills lies on that thread's node; interleaved, the pages go round the nodes evenly.
// N20: fragmented, buffers come from the node of who takes them, whoever touched the pages before. N21: the flawed fragments. N22: the counter.
#include <array>

#include "small_heap.h"

namespace garner::test {
namespace {

using Histogram = std::array<u64, 4>;

// Pages of the regions in `role`, by node.
Histogram pages(SmallHeapOn<Sim>& heap, Role role) {
  Histogram histogram{};
  heap.close_buffers();
  heap.heap().each_region([&](u32 index, auto& r) {
    if (r.role != role) return;
    for (word at = heap.heap().begin_of(index), top = at + 64 * KiB; at < top; at += kPageBytes)
      if (u32 node = heap.machine.node_of_page(at); node != Sim::kNoNode) histogram[node]++;
  });
  return histogram;
}

void touch_all(SmallHeapOn<Sim>& heap) { // the synthetic program writes its objects past the machine: charge what it wrote
  heap.heap().each_region([&](u32 index, auto& r) {
    word begin = heap.heap().begin_of(index);
    heap.self.write(begin, r.top.load_relaxed() - begin);
  });
}

SimConfig four_nodes() {
  SimConfig config;
  config.nodes = 4;
  return config;
}

TEST(PagePlacement, N18OneThreadOneNode) {
  on_sim(four_nodes(), "space_eden=firsttouch,space_old=firsttouch", [](SmallHeapOn<Sim>& heap) {
    for (u32 i = 0; i < 4000; i++) heap.leaf(256);
    touch_all(heap);
    Histogram eden = pages(heap, Role::eden);
    u64 all = eden[0] + eden[1] + eden[2] + eden[3];
    EXPECT_GT(all, 200u);
    EXPECT_GT(eden[heap.self.node] * 10, all * 9);
  });
}

TEST(PagePlacement, N19InterleavedPagesGoRoundTheNodes) {
  on_sim(four_nodes(), "space_eden=interleaved,space_survivor=interleaved,space_old=interleaved", [](SmallHeapOn<Sim>& heap) {
    for (u32 i = 0; i < 4000; i++) heap.root(heap.leaf(256));
    touch_all(heap);
    Histogram eden = pages(heap, Role::eden);
    for (u32 n = 1; n < 4; n++) EXPECT_LE(max_of(eden[n], eden[0]) - min_of(eden[n], eden[0]), 1u);
    heap.young();
    heap.young();
    Histogram old = pages(heap, Role::old);
    EXPECT_GT(old[0], 50u);
    for (u32 n = 1; n < 4; n++) EXPECT_LE(max_of(old[n], old[0]) - min_of(old[n], old[0]), 16u); // the last region may be partly touched
  });
}

// `auto`: near the threads that use them where there are several nodes, and collector threads pinned; nothing of the kind on one node, or for who chose.
TEST(PagePlacement, N24TheDefaultFollowsTheMachine) {
  auto chosen = [](SmallHeapOn<Sim>& heap, Opt space) { return heap.host.cycle->settings().template as<SpacePolicy>(space); };
  for (u32 nodes : {1u, 4u}) {
    SimConfig config;
    config.nodes = nodes;
    const SpacePolicy expected = nodes == 1 ? SpacePolicy::firsttouch : SpacePolicy::fragmented;
    on_sim(config, "workers=4,woken_per=0,join=fixed", [&](SmallHeapOn<Sim>& heap) {
      for (Opt space : {Opt::space_eden, Opt::space_survivor, Opt::space_old}) EXPECT_EQ(chosen(heap, space), expected);
      EXPECT_EQ(heap.host.cycle->settings().as<Pinning>(Opt::pin), nodes == 1 ? Pinning::none : Pinning::rr);
      for (u32 node = 0; node < nodes; node++) {
        Range range = heap.host.cycle->spaces().eden.take(1024, 8192, node);
        heap.heap().fill(range.begin, range.bytes());
        if (nodes > 1) EXPECT_EQ(heap.heap().node_at(range.begin), node);
      }
    });
    on_sim(config, "space_eden=interleaved,pin=none", [&](SmallHeapOn<Sim>& heap) {
      EXPECT_EQ(chosen(heap, Opt::space_eden), SpacePolicy::interleaved);
      EXPECT_EQ(chosen(heap, Opt::space_old), expected);
      EXPECT_EQ(heap.host.cycle->settings().as<Pinning>(Opt::pin), Pinning::none);
    });
  }
}

// Whose pages eden's regions are when threads of all nodes allocate in turn, and where survivors go.
TEST(PagePlacement, N20FragmentsAreOfTheirNode) {
  on_sim(four_nodes(), "space_eden=fragmented,space_survivor=fragmented,space_old=interleaved,workers=4,woken_per=0,join=fixed", [](SmallHeapOn<Sim>& heap) {
    auto& spaces = heap.host.cycle->spaces();
    for (u32 node = 0; node < 4; node++) {
      Range range = spaces.eden.take(1024, 8192, node);
      heap.heap().fill(range.begin, range.bytes());
      EXPECT_EQ(heap.heap().node_at(range.begin), node);
      EXPECT_EQ(heap.heap().home(heap.heap().index_at(range.begin)), node);
    }
    for (u32 i = 0; i < 8000; i++) heap.root(heap.leaf(256));
    touch_all(heap);
    heap.heap().each_region([&](u32 index, auto& r) {
      if (r.role != Role::eden) return;
      for (word at = heap.heap().begin_of(index); at < r.top.load_relaxed(); at += kPageBytes) ASSERT_EQ(heap.machine.node_of_page(at), heap.heap().node_at(at));
    });
    heap.young();
    heap.heap().each_region([&](u32 index, auto& r) {
      if (r.role == Role::survivor) EXPECT_LT(heap.heap().home(index), 4);
      if (r.role == Role::old) EXPECT_EQ(heap.heap().home(index), kHomeInterleaved);
    });
    heap.young();
    Histogram old = pages(heap, Role::old);
    for (u32 n = 1; n < 4; n++) EXPECT_LE(max_of(old[n], old[0]) - min_of(old[n], old[0]), 16u);
  });
}

// One thread, on one node, fills eden. The counter lets it use all of eden (N22); a fragment with a share of the size ends at a quarter (N21).
TEST(PagePlacement, N21OneThreadFillsItsShareN22TheCounterCounts) {
  for (auto [policy, parts] : {std::pair{"fragmented", 1u}, {"fragmented_hotspot", 4u}, {"interleaved", 1u}}) {
    on_sim(four_nodes(), std::string("space_survivor=interleaved,space_eden=") + policy, [&, parts = parts](SmallHeapOn<Sim>& heap) {
      auto& eden = heap.host.cycle->spaces().eden;
      eden.reset_used();
      eden.set_limit(4 * MiB);
      u64 taken = 0;
      for (Range range; (range = eden.take(1024, 16 * KiB, 2)).begin != 0; taken += range.bytes()) heap.heap().fill(range.begin, range.bytes());
      EXPECT_LE(taken, 4 * MiB / parts);
      EXPECT_GE(taken, 4 * MiB / parts - 1024);
      bool other = eden.take(1024, 1024, 1).begin != 0;
      EXPECT_EQ(other, parts != 1) << "another node's fragment";
    });
  }
}

// The program runs on one node. Its allocation brings a collection when its fragment's share is full, or when all of eden is.
TEST(PagePlacement, N21ACollectionComesAtAShareOfTheLimitN22AtAllOfIt) {
  for (auto [policy, parts] : {std::pair{"fragmented", 1u}, {"fragmented_hotspot", 4u}, {"firsttouch", 1u}}) {
    on_sim(four_nodes(), std::string("tlab=8k,space_survivor=interleaved,space_eden=") + policy, [&, parts = parts](SmallHeapOn<Sim>& heap) {
      heap.host.cycle->spaces().eden.set_limit(4 * MiB);
      heap.self.node = 2;
      u64 bytes = 0;
      for (; heap.host.cycle->count() == 0; bytes += 64) heap.leaf(64);
      EXPECT_GT(bytes + 16 * KiB, 4 * MiB / parts) << policy;
      EXPECT_LE(bytes, 4 * MiB / parts + 64) << policy;
    });
  }
}

// The program's threads on all nodes in turn: every buffer, and so every object, is of the node the thread runs on.
TEST(PagePlacement, N20BuffersAreOfTheNodeTheThreadRunsOn) {
  on_sim(four_nodes(), "tlab=1k,space_eden=fragmented", [](SmallHeapOn<Sim>& heap) {
    Random random(3);
    u32 wrong = 0;
    for (u32 i = 0; i < 300; i++) {
      heap.close_buffers();
      heap.self.node = u32(random.below(4));
      for (u32 k = 0; k < 40; k++) wrong += heap.heap().node_at(block_of(heap.leaf(24 + 8 * random.below(100)))) != heap.self.node;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(heap.host.cycle->count(), 0u);
  });
}

TEST(PagePlacement, N21ResizingDropsAndBindsPagesN22DoesNot) {
  for (auto [policy, remaps] : {std::pair{"fragmented", false}, {"fragmented_hotspot", true}}) {
    on_sim(four_nodes(), std::string("retain=on,space_eden=") + policy, [&, remaps = remaps](SmallHeapOn<Sim>& heap) {
      auto& eden = heap.host.cycle->spaces().eden;
      eden.set_limit(4 * MiB);
      for (u32 node = 0; node < 4; node++)
        for (u32 i = 0; i < 14; i++)
          if (Range range = eden.take(64 * KiB, 64 * KiB, node); range.begin != 0) heap.heap().fill(range.begin, range.bytes());
      u64 filled = heap.heap().budget().charged();
      heap.young(); // all of it is free now and its pages are kept; eden's limit goes back to 8 MiB
      ASSERT_EQ(eden.limit(), 8 * MiB);
      if (remaps) EXPECT_LT(heap.heap().free_charged(), filled / 2);
      else EXPECT_GE(heap.heap().free_charged(), filled - 64 * KiB);
    });
  }
}

} // namespace
} // namespace garner::test
