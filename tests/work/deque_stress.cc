// N8: capacity 8, one owner, four thieves: every entry that goes in comes out exactly once.
// Fails when pop_last publishes the lowered split with release only, when the last entry is taken without the CAS, or when take_back leaves the tag alone.
#include "crew.h"

namespace garner::test {
namespace {

struct Case { Order order; Share share; u32 burst; };
class DequeStress : public ::testing::TestWithParam<Case> {};

TEST_P(DequeStress, N8MultisetInIsMultisetOut) {
  constexpr u32 kThieves = 4;
  constexpr u64 kEntries = 400'000; // at least: on until thieves have been there
  Linux machine;
  Deque<Linux> deque;
  ASSERT_TRUE(deque.start(machine, 8, GetParam().order));
  deque.grow_old(~u32(0) - 100'000); // indices wrap on the way
  deque.share(GetParam().share);
  std::vector<std::vector<u64>> got(kThieves + 1);
  std::atomic<bool> done{false};
  std::atomic<u32> started{0};
  std::atomic<bool> robbed{false};
  std::vector<std::thread> thieves;
  for (u32 t = 0; t < kThieves; t++)
    thieves.emplace_back([&, t] {
      u64 some[5], misses = 0;
      started++;
      while (true) {
        bool last = done.load();
        u32 taken;
        Stolen s = deque.steal(some, t % 2 == 0 ? 1 : 5, taken); // some take several at once
        if (s == Stolen::got) got[t].insert(got[t].end(), some, some + taken), misses = 0, robbed = true;
        else if (s == Stolen::empty && last) break;
        else if (++misses % 64 == 0) std::this_thread::yield();
      }
    });
  Random random(3);
  u64 entry, next = 0;
  while (started < kThieves) std::this_thread::yield();
  for (const u64 end = machine.now() + 60'000'000'000; next < kEntries || (!robbed && machine.now() < end);) {
    for (u64 n = 1 + random.below(GetParam().burst); n > 0; n--) deque.push(next++);
    if (next > kEntries) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (random.one_in(512)) std::this_thread::yield(); // on one core, too, thieves meet a filled deque
    for (u64 n = 1 + random.below(GetParam().burst); n > 0 && deque.pop(entry); n--) got[kThieves].push_back(entry);
  }
  while (deque.pop(entry)) got[kThieves].push_back(entry);
  EXPECT_TRUE(deque.empty());
  done = true;
  for (std::thread& t : thieves) t.join();
  std::vector<u32> seen(next);
  u64 stolen = 0;
  for (u32 t = 0; t <= kThieves; t++) {
    if (t < kThieves) stolen += got[t].size();
    for (u64 e : got[t]) seen[e]++;
  }
  for (u64 e = 0; e < next; e++) ASSERT_EQ(seen[e], 1u) << "entry " << e;
  EXPECT_GT(stolen, 0u);
  EXPECT_GE(deque.overflows(), GetParam().burst > 8 ? 1u : 0u);
  deque.stop();
}

INSTANTIATE_TEST_SUITE_P(Forms, DequeStress,
                         ::testing::Values(Case{Order::owner_lifo, Share::lazy, 3}, Case{Order::owner_lifo, Share::lazy, 20},
                                           Case{Order::owner_lifo, Share::eager, 1}, Case{Order::owner_lifo, Share::eager, 3},
                                           Case{Order::owner_lifo, Share::eager, 20}, Case{Order::fifo, Share::eager, 3},
                                           Case{Order::fifo, Share::eager, 20}));

} // namespace
} // namespace garner::test
