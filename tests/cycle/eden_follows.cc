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

} // namespace
} // namespace garner::test
