// Portions (base/portions.h): what many threads add is given out once, in portions that are large enough.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/portions.h"

namespace garner::test {
namespace {

TEST(Portions, AreGivenOutWhenTheyAreFull) {
  Portions<100> portions;
  EXPECT_EQ(portions.add(99), 0u);
  EXPECT_EQ(portions.add(0), 0u);
  EXPECT_EQ(portions.add(1), 100u);
  EXPECT_EQ(portions.add(250), 250u);
  EXPECT_EQ(portions.waiting(), 0u);
}

// Several threads see one portion full at the same time: one of them gets it.
TEST(Portions, GiveOutEachUnitOnceToManyThreads) {
  constexpr u64 kLeast = 100;
  constexpr u32 kThreads = 4, kAdds = 300'000;
  Portions<kLeast> portions;
  u64 given[kThreads] = {}, small[kThreads] = {};
  std::vector<std::thread> threads;
  for (u32 t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      for (u32 i = 0; i < kAdds; i++) {
        const u64 portion = portions.add(1 + (i + t) % 60);
        given[t] += portion;
        small[t] += portion != 0 && portion < kLeast;
      }
    });
  for (std::thread& thread : threads) thread.join();
  u64 added = 0, all = portions.waiting();
  for (u32 t = 0; t < kThreads; t++) {
    for (u32 i = 0; i < kAdds; i++) added += 1 + (i + t) % 60;
    all += given[t];
    EXPECT_EQ(small[t], 0u);
  }
  EXPECT_EQ(all, added);
}

} // namespace
} // namespace garner::test
