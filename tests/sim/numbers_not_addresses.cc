// Where an atomic lies in the host's memory reaches no result: a run is the same whether addresses are used again or not.
#include <gtest/gtest.h>

#include <new>

#include "team.h"

namespace garner {
namespace {

using Word = Sim::Atomic<u64>;
alignas(64) char buffers[16][sizeof(Word)];

// Two fibers take turns on an atomic that is made anew in each round, always in one place or each time in another.
u64 made_by_fibers(bool same_place) {
  Sim machine(SimConfig{});
  Team team(machine);
  Word* word_at = nullptr;
  Sim::Atomic<u32> round{0};
  for (u32 i = 0; i < 2; i++)
    team.start([&, i] {
      Sim::Self self(machine, i);
      for (u32 k = 0; k < 12; k++) {
        if (i == 0) {
          word_at = new (buffers[same_place ? 0 : k]) Word(k);
          word_at->fetch_add_relaxed(1);
          round.store_release(2 * k + 1);
          while (round.load_acquire() != 2 * k + 2) self.pause();
        } else {
          while (round.load_acquire() != 2 * k + 1) self.pause();
          word_at->fetch_add_relaxed(1);
          round.store_release(2 * k + 2);
        }
      }
    });
  EXPECT_EQ(machine.run().end, sim::End::finished);
  return machine.digest();
}

TEST(NumbersNotAddresses, AtomicsMadeByFibers) { EXPECT_EQ(made_by_fibers(true), made_by_fibers(false)); }

u64 made_between_runs(bool same_place) {
  Sim machine(SimConfig{});
  Team team(machine);
  for (u32 k = 0; k < 4; k++) {
    Word* at = new (buffers[same_place ? 0 : k]) Word(0);
    for (u32 i = 0; i < 2; i++) team.start([at] { at->fetch_add_relaxed(1); });
    machine.run();
  }
  return machine.digest();
}

TEST(NumbersNotAddresses, AtomicsMadeBetweenRuns) { EXPECT_EQ(made_between_runs(true), made_between_runs(false)); }

// Neither their distance nor the order of their addresses matters.
TEST(NumbersNotAddresses, OrderOfFirstUse) {
  u64 digests[3];
  const u32 places[3][2] = {{0, 1}, {1, 0}, {3, 12}};
  for (u32 n = 0; n < 3; n++) {
    Sim machine(SimConfig{});
    Team team(machine);
    Word* pair[2] = {new (buffers[places[n][0]]) Word(0), new (buffers[places[n][1]]) Word(0)};
    for (u32 i = 0; i < 2; i++)
      team.start([&] {
        for (u32 k = 0; k < 50; k++) pair[k % 3 == 0]->fetch_add_relaxed(1);
      });
    machine.run();
    digests[n] = machine.digest();
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST(NumbersNotAddresses, RangesHaveOffsets) {
  u64 offsets[2][3];
  for (auto& one : offsets) {
    Sim machine(SimConfig{});
    machine.reserve(100, 64);
    const word at = machine.reserve(MiB, 2 * MiB);
    one[0] = machine.offset_of(at);
    one[1] = machine.offset_of(at + 1000);
    machine.release(at, MiB);
    one[2] = machine.offset_of(machine.reserve(MiB, 2 * MiB));
  }
  for (u32 i = 0; i < 3; i++) EXPECT_EQ(offsets[0][i], offsets[1][i]);
  EXPECT_EQ(offsets[0][1], offsets[0][0] + 1000);
  EXPECT_GT(offsets[0][2], offsets[0][0]); // never given out twice
  EXPECT_TRUE(is_aligned(offsets[0][0], 2 * MiB));
}

} // namespace
} // namespace garner
