// N18, N19: with first touch, what one thread fills lies on that thread's node; interleaved, the pages go round the nodes evenly.
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

} // namespace
} // namespace garner::test
