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

// Several threads see one portion full at the same time: one of them gets it. Were it given to two, the sum would be below nothing, and the next portion larger than all there is.
TEST(Portions, GiveOutEachUnitOnceToManyThreads) {
  constexpr u64 kLeast = 20;
  constexpr u32 kThreads = 4, kAdds = 2'000'000;
  Portions<kLeast> portions;
  constexpr u64 kAll = u64(kThreads) * kAdds * 12; // and more
  u64 given[kThreads] = {}, small[kThreads] = {}, large[kThreads] = {};
  std::vector<std::thread> threads;
  for (u32 t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      for (u32 i = 0; i < kAdds; i++) {
        const u64 portion = portions.add(1 + (i + t) % 12);
        given[t] += portion;
        small[t] += portion != 0 && portion < kLeast;
        large[t] += portion > kAll;
      }
    });
  for (std::thread& thread : threads) thread.join();
  u64 added = 0, all = portions.waiting();
  for (u32 t = 0; t < kThreads; t++) {
    for (u32 i = 0; i < kAdds; i++) added += 1 + (i + t) % 12;
    all += given[t];
    EXPECT_EQ(small[t], 0u);
    EXPECT_EQ(large[t], 0u);
  }
  EXPECT_EQ(all, added);
}

} // namespace
} // namespace garner::test
