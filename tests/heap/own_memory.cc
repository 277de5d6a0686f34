// The collector's own memory (base/arena.h): zeroed whoever had it before, one owner at a time, counted while it is somebody's.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "base/arena.h"

namespace garner::test {
namespace {

bool all(const void* at, usize bytes, u8 value) {
  for (usize i = 0; i < bytes; i++)
    if (static_cast<const u8*>(at)[i] != value) return false;
  return true;
}

TEST(OwnMemory, IsZeroThoughItWasSomebodysBefore) {
  const usize before = own_bytes();
  for (usize pages : {1, 2, 4, 5}) {
    std::set<void*> blocks;
    for (u32 round = 0; round < 3; round++) {
      for (u32 i = 0; i < 40; i++) { // more than are kept
        void* at = map_own(pages * kPageBytes);
        ASSERT_NE(at, nullptr);
        EXPECT_TRUE(blocks.insert(at).second) << "it is somebody's already";
        EXPECT_TRUE(all(at, pages * kPageBytes, 0)) << pages << " pages, round " << round;
        memset(at, 0xa5, pages * kPageBytes);
      }
      EXPECT_EQ(own_bytes(), before + 40 * pages * kPageBytes);
      for (void* at : blocks) unmap_own(at, pages * kPageBytes);
      blocks.clear();
      EXPECT_EQ(own_bytes(), before);
    }
  }
}

TEST(OwnMemory, OnePageHasOneOwner) {
  const usize before = own_bytes();
  std::vector<std::thread> threads;
  std::vector<u32> wrong(4);
  for (u32 t = 0; t < 4; t++)
    threads.emplace_back([t, &wrong] {
      for (u32 round = 0; round < 3000; round++) {
        void* mine[6];
        for (void*& at : mine) {
          at = map_own(1);
          wrong[t] += !all(at, kPageBytes, 0);
          memset(at, int(t + 1), kPageBytes);
        }
        for (void* at : mine) {
          wrong[t] += !all(at, kPageBytes, u8(t + 1));
          unmap_own(at, 1);
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (u32 t = 0; t < 4; t++) EXPECT_EQ(wrong[t], 0u);
  EXPECT_EQ(own_bytes(), before);
}

} // namespace
} // namespace garner::test
