// Backoff (seam/backoff.h): who has lost waits one turn of a bounded spin, then twice as many each time, up to 256, and asks the machine for nothing else. Many who
// bump one word are done sooner with it than without.
#include <gtest/gtest.h>

#include <vector>

#include "seam/backoff.h"
#include "team.h"

namespace garner {
namespace {

// All that a Backoff may ask of a machine: what is not here does not compile.
struct Asked {
  void relax(u32 turns) { waits.push_back(turns); }
  std::vector<u32> waits;
};

TEST(Backoff, WaitsDoubleUpToTheMost) {
  Asked machine;
  Backoff lost;
  for (u32 i = 0; i < 12; i++) lost.wait(machine);
  EXPECT_EQ(machine.waits, (std::vector<u32>{1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256, 256}));
}

TEST(Backoff, OneThingWantedIsOneBackoff) {
  Asked machine;
  for (u32 i = 0; i < 3; i++) {
    Backoff lost;
    lost.wait(machine);
    lost.wait(machine);
  }
  EXPECT_EQ(machine.waits, (std::vector<u32>{1, 2, 1, 2, 1, 2}));
}

sim::Outcome waits(u32 many) {
  Sim machine(SimConfig{});
  Team team(machine);
  team.start([&] {
    Backoff lost;
    for (u32 i = 0; i < many; i++) lost.wait(machine);
  });
  return machine.run();
}

// The longest wait is some 5 us: what one turn costs, 256 times. No line is asked for, and a wait is one moment at which others may go on.
TEST(Backoff, AWaitIsBoundedAndTouchesNoLine) {
  const sim::Costs costs;
  const sim::Outcome none = waits(0), many = waits(40);
  const u64 turns = 255 + (40 - 8) * 256; // 1 + 2 + ... + 128, then the most
  EXPECT_EQ(many.ns - none.ns, turns * costs.pause / 1000) << "something else than pauses was paid for";
  EXPECT_LE(256 * costs.pause / 1000, 5'000u);
  EXPECT_EQ(many.steps - none.steps, 40u);
}

// Virtual time until `fibers` have raised one word `each` times by compare-and-swap.
u64 bumped_ns(u32 fibers, u32 each, bool stands_back) {
  Sim machine(SimConfig{});
  Team team(machine);
  Sim::Atomic<u64> top{0};
  for (u32 i = 0; i < fibers; i++)
    team.start([&] {
      for (u32 k = 0; k < each; k++) {
        Backoff lost;
        for (u64 seen = top.load_relaxed(); !top.cas_relaxed(seen, seen + 1);) {
          if (!stands_back) continue; // what the swap found is what it tries with next
          lost.wait(machine);
          seen = top.load_relaxed();
        }
      }
    });
  const u64 ns = machine.run().ns;
  EXPECT_EQ(top.load_relaxed(), u64(fibers) * each);
  return ns;
}

TEST(Backoff, ManyWhoBumpOneWordAreDoneSooner) {
  EXPECT_LT(2 * bumped_ns(48, 20, true), bumped_ns(48, 20, false));
  EXPECT_EQ(bumped_ns(1, 20, true), bumped_ns(1, 20, false)) << "who never loses never waits";
}

} // namespace
} // namespace garner
