// The real collector on a machine in full, with 48 workers on 8 nodes: the verifier agrees, nothing is lost, and a run repeats itself.
#include "sim/shapes.h"
#include "small_heap.h"

namespace garner::test {
namespace {

struct Story { u64 digest, young_ns, full_ns, objects; };

Story play_on(const sim::Shape& shape, const std::string& options) {
  Story story{};
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  std::function<void()> body = [&] {
    SmallHeapOn<Sim> heap(machine, options);
    const usize root = heap.root(heap.array(3000));
    Random random(7);
    for (usize i = 0; i < 3000; i++) {
      heap.set(heap.at(root), i, heap.node(2, 40));
      if (i > 0)
        for (usize slot = 0; slot < 2; slot++) heap.set(heap.get(heap.at(root), i), slot, heap.get(heap.at(root), random.below(i)));
    }
    heap.young();
    story.young_ns = heap.last().pause_ns;
    heap.full();
    story.full_ns = heap.last().pause_ns;
    heap.close_buffers();
    story.objects = heap.objects();
  };
  machine.start([](void* at) { (*static_cast<std::function<void()>*>(at))(); }, &body);
  const Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::finished) << outcome.text;
  EXPECT_TRUE(machine.fabric().conserves());
  story.digest = machine.digest();
  return story;
}

TEST(FullMachine, FortyEightWorkersOnEightNodes) {
  const sim::Shape shape = line_of_nodes(8, 6);
  for (const char* options : {"workers=48,woken_per=0", "workers=48,preset=naps,woken_per=0,space_old=interleaved", "workers=48,preset=ps", "workers=7,queue_capacity=8"}) {
    const Story one = play_on(shape, options), two = play_on(shape, options);
    EXPECT_EQ(one.objects, 3001u) << options;
    EXPECT_EQ(one.digest, two.digest) << options;
    EXPECT_EQ(one.young_ns, two.young_ns) << options;
    EXPECT_EQ(one.full_ns, two.full_ns) << options;
  }
}

// More distance and slower controllers make the same collection take longer; the graph does not care.
TEST(FullMachine, TimeDependsOnTheMachineAndTheHeapDoesNot) {
  sim::Shape slow = line_of_nodes(8, 6);
  for (sim::Distance& d : slow.distance) d.memory *= 4;
  const Story here = play_on(line_of_nodes(8, 6), "workers=8,woken_per=0"), there = play_on(slow, "workers=8,woken_per=0");
  EXPECT_EQ(here.objects, there.objects);
  EXPECT_GT(there.young_ns, here.young_ns);
  EXPECT_NE(here.digest, there.digest);
}

} // namespace
} // namespace garner::test
