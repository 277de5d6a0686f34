// The same seed gives the same digest: twice in one process, whatever the allocator did in between, and in other processes.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/atomic.h"
#include "team.h"

namespace garner {
namespace {

// A little of everything: heap words, headers, atomics on malloc's heap and on stacks, locks, parks, page calls, faults.
u64 digest_of(sim::Picker picker, u64 seed, Sim* used = nullptr) {
  SimConfig config;
  config.picker = picker;
  config.seed = seed;
  config.nodes = 4;
  if (picker != sim::Picker::every) config.faults = sim::FaultPlan::drawn(seed);
  std::optional<Sim> fresh;
  if (used != nullptr) used->reset(config);
  Sim& machine = used != nullptr ? *used : fresh.emplace(config);
  Team team(machine);
  auto turn = std::make_unique<Sim::Atomic<u32>>(0);
  Sim::Lock lock;
  Sim::Atomic<u64> on_stack;
  const word heap = machine.reserve(4 * MiB, 2 * MiB);
  team.start([&] {
    machine.bind(heap, MiB, 1);
    machine.interleave(heap + MiB, MiB);
    for (u32 i = 0; i < 6; i++) {
      team.start([&, i] {
        Sim::Self self(machine, i);
        auto mine = std::make_unique<Sim::Atomic<u64>>(i);
        for (u32 k = 0; k < 200; k++) {
          const Header header{heap + self.random.below(64) * 4096};
          self.forward(header, self.header(header), k);
          self.store(Slot{header.at + 8}, Ref{k});
          mine->fetch_add_relaxed(on_stack.fetch_add_acq_rel(1));
          if (self.random.one_in(8)) {
            Locked<Sim::Lock> held(lock);
            self.copy(heap + 3 * MiB + i * 4096, heap + k * 64, 128);
          }
          if (self.random.one_in(16)) {
            turn->fetch_add_acq_rel(1);
            machine.wake(self, *turn, ~0u);
          } else if (self.random.one_in(32)) {
            machine.park(self, *turn, turn->load_acquire() - 1); // stale: looks, does not sleep
          }
          if (self.random.one_in(10)) self.yield();
        }
      });
    }
  });
  const Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::finished) << outcome.text;
  return machine.digest();
}

constexpr sim::Picker kPickers[] = {sim::Picker::earliest, sim::Picker::seeded, sim::Picker::every};

std::string all_digests() {
  std::string text;
  for (sim::Picker picker : kPickers)
    for (u64 seed = 1; seed <= 3; seed++) text += std::to_string(digest_of(picker, seed)) + " ";
  return text;
}

TEST(SameSeedSameDigest, TwiceInOneProcess) {
  const std::string first = all_digests();
  std::vector<std::unique_ptr<char[]>> rubble; // so that the allocator answers differently
  for (usize i = 0; i < 1000; i++) rubble.push_back(std::make_unique<char[]>(8 + i % 50 * 8));
  for (usize i = 0; i < rubble.size(); i += 3) rubble[i].reset();
  EXPECT_EQ(first, all_digests());
  EXPECT_NE(digest_of(sim::Picker::seeded, 1), digest_of(sim::Picker::seeded, 2));
}

TEST(SameSeedSameDigest, InAMachineThatWasUsedBefore) {
  Sim used(SimConfig{});
  for (u32 round = 0; round < 2; round++)
    for (sim::Picker picker : kPickers)
      for (u64 seed = 1; seed <= 3; seed++) EXPECT_EQ(digest_of(picker, seed, &used), digest_of(picker, seed));
}

// Run in child processes by the test below.
TEST(SameSeedSameDigest, DISABLED_Print) { printf("digests: %s\n", all_digests().c_str()); }

TEST(SameSeedSameDigest, InAnotherProcess) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  ASSERT_GT(length, 0);
  self[length] = 0;
  const std::string command = std::string(self) + " --gtest_also_run_disabled_tests --gtest_filter=SameSeedSameDigest.DISABLED_Print";
  const std::string mine = "digests: " + all_digests() + "\n";
  for (u32 child = 0; child < 3; child++) { // address space layout differs in each
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string found;
    char line[4096];
    while (fgets(line, sizeof line, pipe) != nullptr)
      if (std::string(line).starts_with("digests: ")) found = line;
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(found, mine);
  }
}

} // namespace
} // namespace garner
