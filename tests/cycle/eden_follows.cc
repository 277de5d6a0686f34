// N12 in a heap: eden's limit follows the program's load both ways, or stays; neither moves a space.
#include "collect/small_heap.h"

namespace garner::test {
namespace {

struct Limits { u64 start, busy, calm; };

// Garbage as fast as it goes; then a quarter of eden survives and the program takes its time, so that pauses are long and seldom.
Limits limits_under(const char* options) {
  Limits limits{};
  SyntheticShape shape;
  shape.eden = MiB;
  shape.eden_min = 256 * KiB;
  shape.eden_max = 6 * MiB;
  SimConfig config;
  config.costs.yield = 1'000'000'000'000; // a second
  on_sim(config, std::string("verify=off,tenure=fixed,pause_goal=1,") + options, [&](SmallHeapOn<Sim>& heap) {
    const usize old = heap.root(heap.leaf(256));
    heap.collect(Kind::full, true);
    heap.collect(Kind::full, true);
    const word at = heap.at(old).at, base = heap.heap().base(), end = heap.heap().end();
    auto& eden = heap.host.cycle->spaces().eden;
    auto collections = [&](u32 n, auto each) {
      for (u64 last = heap.host.cycle->count() + n; heap.host.cycle->count() < last;) each();
    };
    limits.start = eden.limit();
    collections(12, [&] { heap.leaf(1024); });
    limits.busy = eden.limit();
    u32 i = 0;
    collections(40, [&] {
      Ref ref = heap.leaf(1024);
      if (++i % 5 != 0) return;
      if (heap.mutator.cells.size() > 1600) heap.mutator.cells.truncate(1);
      heap.root(ref);
      if (i % 100 == 0) heap.self.yield();
    });
    limits.calm = eden.limit();
    EXPECT_EQ(heap.at(old).at, at);
    EXPECT_EQ(heap.heap().base(), base);
    EXPECT_EQ(heap.heap().end(), end);
  }, shape);
  return limits;
}

TEST(EdenFollows, N12TheLoadBothWaysAndNoSpaceMoves) {
  const Limits adaptive = limits_under("resize=adaptive");
  EXPECT_GT(adaptive.busy, adaptive.start);
  EXPECT_LE(adaptive.busy, 6 * MiB);
  EXPECT_LT(adaptive.calm, adaptive.busy);
  EXPECT_GE(adaptive.calm, 256 * KiB);
}

TEST(EdenFollows, N12NothingWhereItIsFixed) {
  const Limits fixed = limits_under("resize=fixed");
  EXPECT_EQ(fixed.start, MiB);
  EXPECT_EQ(fixed.busy, MiB);
  EXPECT_EQ(fixed.calm, MiB);
}

// Bytes that the program allocates until the next collection, by and by; `slowly`: so that it takes a second for each 100 KiB.
u64 until_collected(SmallHeapOn<Sim>& heap, bool slowly) {
  u64 bytes = 0;
  for (const u64 count = heap.host.cycle->count(); heap.host.cycle->count() == count; bytes += 1024) {
    Ref ref = heap.leaf(1024);
    if (bytes % (4 * 1024) == 0) heap.root(ref);
    if (slowly && bytes % (100 * 1024) == 0) heap.self.yield();
  }
  if (heap.mutator.cells.size() > 3000) heap.drop_roots();
  return bytes;
}

// A large eden of a rush need not be full before it is seen that there is none any more.
TEST(EdenFollows, N12ARushEndsBeforeItsEdenIsFull) {
  for (bool adaptive : {true, false}) {
    SyntheticShape shape;
    shape.eden = shape.eden_min = MiB;
    shape.eden_max = 6 * MiB;
    if (!adaptive) shape.eden = shape.eden_max;
    SimConfig config;
    config.costs.yield = 1'000'000'000'000; // a second
    on_sim(config, std::string("verify=off,tenure=fixed,pause_goal=1,en_masse=off,resize=") + (adaptive ? "adaptive" : "fixed"), [&](SmallHeapOn<Sim>& heap) {
      auto& eden = heap.host.cycle->spaces().eden;
      for (u32 i = 0; i < 12; i++) until_collected(heap, false);
      const u64 grown = eden.limit(), rushed = until_collected(heap, false), slow = until_collected(heap, true);
      EXPECT_GE(grown, 2 * MiB);
      EXPECT_GE(rushed, grown / 8 * 7) << "all of it, in a rush";
      if (adaptive) EXPECT_LE(slow, grown / 2);
      else EXPECT_GE(slow, grown / 8 * 7);
    }, shape);
  }
}

// Of a region without collections that ends at once, as of one that memory does not suffice for.
TEST(EdenFollows, N12APromiseThatEndsIsNoEdenForAnybodyElse) {
  SyntheticShape shape;
  shape.limit = 32 * MiB;
  shape.eden = MiB;
  shape.eden_min = 256 * KiB;
  shape.eden_max = 6 * MiB;
  on_sim({}, "verify=off,tenure=fixed", [&](SmallHeapOn<Sim>& heap) {
    auto& cycle = *heap.host.cycle;
    const u64 before = cycle.spaces().eden.limit();
    cycle.pace().set_eden_floor(64 * MiB);
    heap.collect(Kind::full, true);
    ASSERT_GE(cycle.spaces().eden.limit(), 16 * MiB);
    heap.leaf(1024);
    cycle.end_eden_floor();
    EXPECT_LE(cycle.spaces().eden.limit(), max_of(before, cycle.spaces().eden.used()));
    EXPECT_EQ(cycle.pace().eden_floor(), 0u);
  }, shape);
}

} // namespace
} // namespace garner::test
