// FinalizeQueue (heap/finalizers.h): one array, in which a collection sorts without memory; held against a plain model of lists.
#include "heap/finalizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <thread>
#include <vector>

#include "base/random.h"

namespace garner::test {
namespace {

using Growth = FinalizeQueue::Growth;

// What the queue holds, by lists that may grow as they like. An entry's number is its address / 8; the sixth part of all are critical.
struct Model {
  std::vector<word> registered[3];
  std::deque<word> ready[2];
};
bool critical(Ref ref) { return ref.at / 8 % 6 == 0; }

std::vector<word> entries(FinalizeQueue::Part part, bool backwards) {
  std::vector<word> all;
  for (Ref ref : part) all.push_back(ref.at);
  if (backwards) std::reverse(all.begin(), all.end());
  return all;
}

class Queue : public ::testing::TestWithParam<u32> {
 protected:
  Random random{GetParam()};
  FinalizeQueue queue;
  Model model;
  word number = 0;

  void add(u32 generation) {
    const Ref ref{++number * 8};
    ASSERT_TRUE(queue.add_growing(generation, ref));
    model.registered[generation].push_back(ref.at);
    for (u32 younger = 0; younger < generation; younger++)
      if (std::vector<word>& list = model.registered[younger]; !list.empty()) std::rotate(list.begin(), list.begin() + 1, list.end());
  }
  void take() {
    std::deque<word>& from = model.ready[model.ready[0].empty() ? 1 : 0];
    const word expected = from.empty() ? 0 : from.front();
    if (!from.empty()) from.pop_front();
    ASSERT_EQ(queue.next_ready().at, expected);
  }
  // A collection: of each 16 entries some become ready and some go, the others are in a generation of their own choice.
  void collect(u32 condemned, u64 ready_of_16, u64 gone_of_16, bool mixes) {
    queue.compact();
    const usize memory = list_bytes();
    std::map<word, u32> goes;
    for (u32 g = condemned + 1; g-- > 0;) {
      std::vector<word>& list = model.registered[g];
      std::vector<word> stays;
      usize i = 0;
      for (Ref& ref : queue.registered(g)) {
        ASSERT_EQ(ref.at, list[i++]);
        const u64 dice = random.below(16);
        if (dice < ready_of_16) {
          model.ready[critical(ref)].push_back(ref.at);
          ref.at |= FinalizeQueue::kDead;
        } else if (dice < ready_of_16 + gone_of_16) {
          ref.at = 0;
        } else {
          stays.push_back(ref.at);
          goes[ref.at] = mixes ? u32(random.below(3)) : g == 0 ? 1 : 2;
        }
      }
      ASSERT_EQ(i, list.size());
      list = stays;
    }
    const FinalizeQueue::Part fresh = queue.gather(condemned);
    for (Ref& ref : fresh)
      if (critical(ref)) ref.at |= FinalizeQueue::kCritical;
    queue.part(fresh);
    for (Ref& ref : queue.registered_up_to(condemned)) ref.at |= FinalizeQueue::tag_of(goes.at(ref.at));
    queue.file(condemned);
    std::vector<word> moved;
    for (u32 g = condemned + 1; g-- > 0;) {
      moved.insert(moved.end(), model.registered[g].begin(), model.registered[g].end());
      model.registered[g].clear();
    }
    for (word at : moved) model.registered[goes.at(at)].push_back(at);
    EXPECT_EQ(list_bytes(), memory) << "a collection has no memory to take";
    check(mixes);
  }
  void check(bool mixed) {
    for (u32 g = 0; g < 3; g++) {
      std::vector<word> held = entries(queue.registered(g), false), expected = model.registered[g];
      if (mixed) {
        std::sort(held.begin(), held.end());
        std::sort(expected.begin(), expected.end());
        model.registered[g] = entries(queue.registered(g), false);
      }
      ASSERT_EQ(held, expected) << "generation " << g;
    }
    for (u32 c = 0; c < 2; c++) ASSERT_EQ(entries(queue.ready(c == 1), true), std::vector<word>(model.ready[c].begin(), model.ready[c].end())) << (c == 1 ? "critical" : "ordinary");
    ASSERT_EQ(queue.ready_count(), model.ready[0].size() + model.ready[1].size());
  }
};

TEST_P(Queue, HoldsWhatListsOfTheirOwnWould) {
  for (u32 round = 0; round < 60; round++) {
    const u64 few = u64(1) << random.below(13); // a burst now and then
    for (u64 n = random.below(few) + 1; n > 0; n--) add(random.below(8) == 0 ? u32(random.below(3)) : 0);
    for (u64 n = random.below(few); n > 0; n--) take();
    const bool mixes = round % 2 == 1;
    collect(mixes ? u32(random.below(3)) : 2, random.below(4) == 0 ? 16 : random.below(9), random.below(4), mixes);
    if (HasFatalFailure()) return;
    for (u64 n = random.below(few); n > 0; n--) take();
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, Queue, ::testing::Range(1u, 9u));

// All of them at once, when but a sixteenth of the places is free, and every one critical but some.
TEST(FinalizeQueue, AllBecomeReadyAtOnce) {
  FinalizeQueue queue;
  std::vector<word> expected;
  for (word i = 1; queue.add(0, {i * 8}) || (i < 20'000 && queue.add_growing(0, {i * 8})); i++) expected.push_back(i * 8);
  const usize memory = list_bytes();
  for (Ref& ref : queue.registered_up_to(0)) ref.at |= FinalizeQueue::kDead;
  const FinalizeQueue::Part fresh = queue.gather(0);
  ASSERT_EQ(fresh.size(), expected.size());
  for (Ref& ref : fresh)
    if (ref.at % 56 != 0) ref.at |= FinalizeQueue::kCritical;
  queue.part(fresh);
  EXPECT_EQ(list_bytes(), memory);
  std::stable_partition(expected.begin(), expected.end(), [](word at) { return at % 56 == 0; });
  for (word at : expected) ASSERT_EQ(queue.next_ready().at, at);
  EXPECT_EQ(queue.next_ready().at, 0u);
}

// Where memory is short it grows by what one more entry takes: as many are free then as are always kept, and a page.
TEST(FinalizeQueue, GrowsByAPageWhereMemoryIsShort) {
  FinalizeQueue queue;
  const usize before = list_bytes();
  const word most = 200'000;
  for (word i = 1; i <= most; i++) {
    if (queue.add(0, {i * 8})) continue;
    const usize bytes = queue.growth(Growth::page), has = list_bytes();
    ASSERT_LE(bytes, 2 * kPageBytes);
    ASSERT_TRUE(queue.grow(Growth::page, bytes - 1));
    ASSERT_EQ(list_bytes(), has) << "more than was granted";
    ASSERT_TRUE(queue.grow(Growth::page, bytes));
    ASSERT_EQ(list_bytes(), has + bytes);
    ASSERT_TRUE(queue.add(0, {i * 8}));
  }
  EXPECT_LE(list_bytes() - before, most * sizeof(Ref) * 17 / 16 + 2 * kPageBytes);
  for (word i = 1; i <= most; i++) ASSERT_EQ(queue.registered(0)[i - 1].at, i * 8);
}

// To use taken places again moves all that is ready. Where there are few of them it grows instead, unless that is the last way.
TEST(FinalizeQueue, UsesTakenPlacesAgainWhereThatIsWorthIt) {
  FinalizeQueue queue;
  word i = 0;
  auto fill = [&] {
    while (queue.add(0, {++i * 8})) {}
  };
  while (i < 100'000) ASSERT_TRUE(queue.add_growing(0, {++i * 8}));
  for (Ref& ref : queue.registered(0)) ref.at |= FinalizeQueue::kDead;
  queue.gather(0);
  fill();
  queue.next_ready();
  EXPECT_GE(queue.growth(Growth::ample), 100'000u);
  EXPECT_EQ(queue.growth(Growth::page), 4 * kPageBytes) << "a 64th of what is ready, which must all move for it";
  EXPECT_EQ(queue.growth(Growth::least), 0u);
  ASSERT_TRUE(queue.grow(Growth::least, 0));
  ASSERT_TRUE(queue.add(0, {++i * 8}));
  ASSERT_FALSE(queue.add(0, {8})) << "one was taken";
  for (u32 n = 0; n < 600; n++) queue.next_ready();
  EXPECT_NE(queue.growth(Growth::page), 0u);
  for (u32 n = 0; n < 1000; n++) queue.next_ready();
  EXPECT_NE(queue.growth(Growth::ample), 0u);
  EXPECT_EQ(queue.growth(Growth::page), 0u);
  for (u32 n = 0; n < 10'000; n++) queue.next_ready();
  EXPECT_EQ(queue.growth(Growth::ample), 0u);
  ASSERT_TRUE(queue.grow(Growth::ample, 0));
  fill();
  for (word at = 11'602; at <= 100'000; at++) ASSERT_EQ(queue.next_ready().at, at * 8);
}

// A list that was long gives memory back while ordinary and critical ones of it are ready: these move to the left then.
TEST(FinalizeQueue, ShrinksAroundWhatIsReady) {
  for (usize few : {10u, 3'000u, 30'000u}) {
    FinalizeQueue queue;
    constexpr word kMany = 400'000;
    for (word i = 1; i <= kMany; i++) ASSERT_TRUE(queue.add_growing(i <= few ? 2 : 0, {i * 8}));
    queue.compact();
    for (Ref& ref : queue.registered(0)) ref.at |= FinalizeQueue::kDead;
    const FinalizeQueue::Part fresh = queue.gather(0);
    for (Ref& ref : fresh)
      if (ref.at / 8 % 4 == 0) ref.at |= FinalizeQueue::kCritical;
    queue.part(fresh);
    std::vector<word> expected;
    for (u32 c = 0; c < 2; c++)
      for (word i = few + 1; i <= kMany; i++)
        if ((i % 4 == 0) == (c == 1)) expected.push_back(i * 8);
    usize taken = 0;
    // Those that are left: all critical ones and a few ordinary, then a few critical ones.
    for (usize left : {expected.size() / 4 + few, few}) {
      while (expected.size() - taken > left) ASSERT_EQ(queue.next_ready().at, expected[taken++]);
      const usize had = list_bytes();
      queue.compact();
      if (left == few) EXPECT_LT(list_bytes(), had);
      ASSERT_EQ(queue.ready_count(), left);
    }
    while (taken < expected.size()) ASSERT_EQ(queue.next_ready().at, expected[taken++]);
    EXPECT_EQ(queue.next_ready().at, 0u);
    for (word i = 1; i <= few; i++) ASSERT_EQ(queue.registered(2)[i - 1].at, i * 8);
  }
}

// Threads that register, of old objects too, and make it grow, while another takes what is ready: each is there once.
TEST(FinalizeQueue, ThreadsRegisterWhileOneTakes) {
  FinalizeQueue queue;
  constexpr word kReady = 20'000, kEach = 30'000, kThreads = 3;
  for (word i = 1; i <= kReady; i++) ASSERT_TRUE(queue.add_growing(0, {i * 8}));
  queue.compact();
  for (Ref& ref : queue.registered(0)) ref.at |= FinalizeQueue::kDead;
  queue.gather(0);
  std::vector<std::thread> threads;
  for (word t = 1; t <= kThreads; t++)
    threads.emplace_back([&queue, t] {
      for (word i = 0; i < kEach; i++) {
        const Ref ref{(t * 1'000'000 + i) * 8};
        while (!queue.add(u32(i % 3), ref)) EXPECT_TRUE(queue.grow(i % 2 == 0 ? Growth::page : Growth::ample));
      }
    });
  word in_order = 0;
  for (Ref ref; (ref = queue.next_ready()).at != 0; in_order++) ASSERT_EQ(ref.at, (in_order + 1) * 8);
  EXPECT_EQ(in_order, kReady);
  for (std::thread& thread : threads) thread.join();
  std::vector<word> all;
  for (u32 g = 0; g < 3; g++) EXPECT_EQ(queue.registered(g).size(), kThreads * kEach / 3);
  queue.each_registered([&](Ref ref) { all.push_back(ref.at); });
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), kThreads * kEach);
  for (usize i = 0; i < all.size(); i++) ASSERT_EQ(all[i], ((i / kEach + 1) * 1'000'000 + i % kEach) * 8);
}

// Places that were taken from are used again before there are more of them, and what a burst needed goes back.
TEST(FinalizeQueue, KeepsNoMoreThanItNeeds) {
  FinalizeQueue queue;
  const usize before = list_bytes();
  auto burst = [&](u32 count) {
    for (word i = 1; i <= count; i++) ASSERT_TRUE(queue.add_growing(0, {i * 8}));
    queue.compact();
    for (Ref& ref : queue.registered_up_to(0)) ref.at |= FinalizeQueue::kDead;
    queue.gather(0);
    while (queue.next_ready().at != 0) {}
  };
  burst(300'000);
  const usize most = list_bytes() - before;
  EXPECT_LE(most, 300'000 * sizeof(Ref) * 5 / 4) << "an eighth to grow by, a sixteenth kept free";
  for (u32 i = 0; i < 3; i++) burst(280'000);
  EXPECT_EQ(list_bytes() - before, most);
  queue.compact();
  EXPECT_LE(list_bytes() - before, 512 * KiB);
  burst(10);
}

} // namespace
} // namespace garner::test
