// N22: the budget is never exceeded, not by many threads at once; what regions are charged adds up to it; free pages go back.
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "bare_heap.h"

namespace garner::test {
namespace {

void never_exceeded(u64 limit, usize huge_from, bool hold = false) {
  BareHeap bare(limit, 64 * KiB, false, huge_from, hold);
  Random random(1);
  std::vector<u32> regions;
  for (u32 step = 0; step < 4000; step++) {
    u32 index = kNoRegion;
    if (random.one_in(3)) index = bare.heap.take_large(64 * KiB + random.below(600) * KiB, random.one_in(2), false);
    else if (random.one_in(2)) index = bare.heap.take_region(hold ? Role::eden : Role::old, hold ? kLabelEden : kLabelOld, 0);
    else if (hold && random.one_in(8)) bare.heap.hold(random.below(3 * MiB));
    if (index != kNoRegion) regions.push_back(index);
    else if (!regions.empty()) {
      usize i = random.below(regions.size());
      bare.heap.free_region(regions[i]);
      regions[i] = regions.back();
      regions.pop_back();
    }
    if (random.one_in(50)) bare.heap.trim(random.below(2 * MiB));
    ASSERT_LE(bare.heap.budget().committed(), limit);
    ASSERT_EQ(bare.charges(), bare.heap.budget().charged());
  }
  for (u32 index : regions) bare.heap.free_region(index);
  EXPECT_EQ(bare.heap.free_charged(), bare.heap.budget().charged());
  bare.heap.trim(0);
  EXPECT_EQ(bare.heap.budget().charged(), 0u);
}

TEST(Budget, OfWhatIsKeptBackAQuarterIsForTheLastPlace) {
  BareHeap bare(4 * MiB);
  auto& budget = bare.heap.budget();
  budget.hold(512 * KiB);
  auto all = [&](Reach reach) {
    u64 bytes = 0;
    while (budget.take(KiB, reach)) bytes += KiB;
    return bytes;
  };
  EXPECT_GT(all(Reach::ordinary), 2 * MiB);
  EXPECT_NEAR(all(Reach::quarter), 128 * KiB, 8 * KiB);
  EXPECT_NEAR(all(Reach::all), 384 * KiB, 20 * KiB);
  EXPECT_LE(budget.committed(), 4 * MiB);
}

// A list that asks before it grows: free regions give up their pages for it, what is kept back is left alone unless it may have that, and none of it is owed.
TEST(Budget, ListsAskBeforeTheyGrow) {
  BareHeap bare(4 * MiB);
  auto& budget = bare.heap.budget();
  budget.hold(512 * KiB);
  std::vector<u32> all;
  for (u32 index; (index = bare.heap.take_region(Role::old, kLabelOld, 0)) != kNoRegion;) all.push_back(index);
  EXPECT_FALSE(bare.heap.lend(MiB, Reach::ordinary)) << "nothing is free";
  EXPECT_FALSE(bare.heap.lend(MiB, Reach::all)) << "nor as much kept back";
  ASSERT_TRUE(bare.heap.lend(256 * KiB, Reach::all));
  EXPECT_LE(budget.committed(), 4 * MiB);
  EXPECT_EQ(budget.borrowed(), 0u);
  bare.heap.lent(256 * KiB);
  for (u32 i = 0; i < 20; i++, all.pop_back()) bare.heap.free_region(all.back());
  const u64 free = bare.heap.free_charged();
  ASSERT_GE(free, MiB);
  ASSERT_TRUE(bare.heap.lend(MiB, Reach::ordinary));
  EXPECT_LT(bare.heap.free_charged(), free);
  EXPECT_LE(budget.committed() + 512 * KiB, 4 * MiB) << "what is kept back";
  bare.heap.lent(MiB);
  EXPECT_EQ(bare.charges(), budget.charged());
  const u64 still = bare.heap.free_charged();
  EXPECT_FALSE(bare.heap.lend(4 * MiB, Reach::all));
  EXPECT_EQ(bare.heap.free_charged(), still) << "nothing is given up for what cannot be had";
  EXPECT_EQ(budget.over(), 0u);
  budget.hold(768 * KiB);
  while (budget.take(KiB)) {}
  budget.hold(MiB);
  EXPECT_NEAR(budget.over(), 256 * KiB, 2 * KiB);
  for (u32 index : all) bare.heap.free_region(index);
}

// What is kept back is for threads that have no memory. When memory is free again it is theirs first, whichever regions that is: would a region keep its pages, whoever comes next had them,
// and the second time that memory ends nothing were left to throw with.
TEST(Budget, WhatIsFreeRepaysWhatWasKeptBackFirst) {
  BareHeap bare(4 * MiB);
  auto& budget = bare.heap.budget();
  budget.hold(512 * KiB);
  auto take = [&](Reach reach) { return bare.heap.take_region(Role::eden, kLabelEden, 0, kHomeFirstTouch, reach); };
  auto fill = [&](Reach reach) {
    std::vector<u32> all;
    for (u32 index; (index = take(reach)) != kNoRegion;) all.push_back(index);
    return all;
  };
  std::vector<u32> ordinary = fill(Reach::ordinary);
  EXPECT_EQ(budget.borrowed(), 0u);
  EXPECT_TRUE(budget.half_kept());
  u32 least = ~u32(0);
  for (u32 round = 0; round < 4; round++) {
    const std::vector<u32> thrown = fill(Reach::all);
    least = min_of(least, u32(thrown.size()));
    ASSERT_GT(budget.borrowed(), 0u);
    EXPECT_FALSE(budget.half_kept()) << "all of it is in use";
    const u32 freed = u32(thrown.size()) + 4; // others than those that were taken last, and a few more
    ASSERT_GT(ordinary.size(), freed);
    for (u32 i = 0; i < freed; i++) {
      bare.heap.free_region(ordinary.back());
      ordinary.pop_back();
    }
    EXPECT_EQ(budget.borrowed(), 0u);
    ordinary.insert(ordinary.end(), thrown.begin(), thrown.end());
    const std::vector<u32> again = fill(Reach::ordinary);
    EXPECT_NEAR(again.size(), 4.0, 1.0) << "ordinary threads have what is not kept back";
    ordinary.insert(ordinary.end(), again.begin(), again.end());
    ASSERT_LE(budget.committed(), 4 * MiB);
    ASSERT_EQ(bare.charges(), budget.charged());
  }
  EXPECT_GE(least, 6u) << "as much the last time as the first";
}

TEST(Budget, NeverExceededByOne) { never_exceeded(4 * MiB, ~usize(0)); }
TEST(Budget, NeverExceededByHugePages) { never_exceeded(9 * MiB, 2 * MiB); }
TEST(Budget, NeverExceededByOneWhoHolds) { never_exceeded(4 * MiB, ~usize(0), true); }
TEST(Budget, NeverExceededByHugePagesThatAreHeld) { never_exceeded(9 * MiB, 2 * MiB, true); }

// What copies will want is memory that is there; eden takes what is not, but for the budget, and takes the rest when that is all.
TEST(Budget, WhatIsHeldIsLeftToCopies) {
  BareHeap bare(2 * MiB, 64 * KiB, false, ~usize(0), true);
  auto take = [&](Role role) { return bare.heap.take_region(role, role == Role::eden ? kLabelEden : kLabelOld, 0); };
  std::vector<u32> used;
  for (u32 i = 0; i < 8; i++) used.push_back(take(Role::eden));
  for (u32 index : used) bare.heap.free_region(index);
  bare.heap.hold(4 * 64 * KiB);
  std::vector<u32> eden;
  for (u32 i = 0; i < 4; i++) EXPECT_FALSE(bare.heap.region(take(Role::eden)).clean) << "there was more than is held";
  for (u32 i = 0; i < 3; i++) EXPECT_TRUE(bare.heap.region(take(Role::eden)).clean) << "held, but handed out";
  EXPECT_FALSE(bare.heap.region(take(Role::old)).clean) << "a copy would have to wait for new memory";
  u32 more = 0, again = 0;
  for (u32 index; (index = take(Role::eden)) != kNoRegion;) (bare.heap.region(index).clean ? more : again)++;
  EXPECT_EQ(again, 3u) << "held when there was nothing else";
  EXPECT_GE(more, 10u);
  EXPECT_EQ(bare.charges(), bare.heap.budget().charged());
  EXPECT_EQ(bare.heap.free_charged(), 0u);
}

TEST(Budget, NothingIsHeldWhereTheShapeDoesNotAsk) {
  BareHeap bare;
  const u32 index = bare.heap.take_region(Role::eden, kLabelEden, 0);
  bare.heap.free_region(index);
  bare.heap.hold(MiB);
  EXPECT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), index);
}

// A huge page's rest counts as new: eden takes it while what has been used is held.
TEST(Budget, TheRestOfAHugePageIsNotHeld) {
  BareHeap bare(0, 64 * KiB, false, 0, true);
  const u32 many = 2 * MiB / (64 * KiB);
  std::vector<u32> used;
  for (u32 i = 0; i < many; i++) used.push_back(bare.heap.take_region(Role::eden, kLabelEden, 0));
  for (u32 index : used) bare.heap.free_region(index);
  bare.heap.hold(2 * MiB);
  for (u32 i = 0; i < many; i++) EXPECT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), many + i);
  EXPECT_EQ(bare.heap.free_charged(), 2 * MiB);
  EXPECT_FALSE(bare.heap.region(bare.heap.take_region(Role::survivor, kLabelSurvivor, 1)).clean);
}

// The first region of 2 MB that nobody uses brings all of it, and what it brings is taken next, as fresh as it is.
TEST(Budget, AHugePageIsTakenWholeWhileThereIsRoom) {
  BareHeap bare(5 * MiB, 64 * KiB, false, 2 * MiB);
  auto take = [&] { return bare.heap.take_region(Role::eden, kLabelEden, 0); };
  const u32 many = 2 * MiB / (64 * KiB);
  for (u32 i = 0; i < many; i++) EXPECT_EQ(take(), i);
  EXPECT_EQ(bare.heap.budget().charged(), 2 * MiB) << "before huge_from each for itself";
  const u64 for_marks = (64 * MiB - 2 * MiB) / 64 * 3; // and targets
  EXPECT_EQ(bare.machine.asked_huge, 0u);
  for (u32 i = many; i < 2 * many; i++) {
    ASSERT_EQ(take(), i);
    EXPECT_EQ(bare.heap.budget().charged(), 4 * MiB);
    EXPECT_TRUE(bare.heap.region(i).clean);
    EXPECT_EQ(load_word(bare.heap.begin_of(i)), 0u);
    memset(reinterpret_cast<void*>(bare.heap.begin_of(i)), 0x11, 64 * KiB);
  }
  EXPECT_EQ(bare.machine.asked_huge, for_marks + 2 * MiB);
  EXPECT_EQ(take(), 2 * many);
  EXPECT_EQ(bare.heap.budget().charged(), 4 * MiB + 64 * KiB) << "no room for another";
  for (u32 i = many; i < 2 * many; i++) bare.heap.free_region(i);
  EXPECT_FALSE(bare.heap.region(take()).clean) << "used before";
  bare.machine.discarded = 0;
  bare.heap.trim(0);
  EXPECT_EQ(bare.machine.discarded, 2 * MiB - 64 * KiB);
}

// Where a huge page takes longer than small ones would, no more are asked for, nor for the marks; one that takes long by chance changes nothing.
TEST(Budget, HugePagesThatTakeLongAreGivenUp) {
  const u32 many = 2 * MiB / (64 * KiB);
  auto take_pages = [&](BareHeap& bare, u32 pages) {
    for (u32 i = 0; i < pages * many; i++) ASSERT_NE(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  };
  BareHeap slow(0, 64 * KiB, false, 0);
  slow.machine.slow_ns = 3'000'000;
  take_pages(slow, 6);
  EXPECT_EQ(slow.machine.asked_huge, 2 * 2 * MiB) << "two are enough to know";
  EXPECT_EQ(slow.heap.budget().charged(), 12 * MiB) << "and the others are taken region by region";

  BareHeap once(0, 64 * KiB, false, 0);
  once.machine.slow_ns = 3'000'000;
  take_pages(once, 1);
  once.machine.slow_ns = 100'000;
  take_pages(once, 5);
  EXPECT_EQ(once.machine.asked_huge, 6 * 2 * MiB + 64 * MiB / 64 * 3);

  BareHeap later(0, 64 * KiB, false, 0); // each is timed
  later.machine.slow_ns = 100'000;
  take_pages(later, 9);
  later.machine.slow_ns = 3'000'000;
  take_pages(later, 9);
  EXPECT_EQ(later.machine.asked_huge, (9 + 2) * 2 * MiB + 64 * MiB / 64 * 3);

  BareHeap often(0, 64 * KiB, false, 0);
  for (u32 i = 0; i < 12; i++) {
    often.machine.slow_ns = i % 2 == 0 ? 3'000'000 : 100'000;
    take_pages(often, 1);
  }
  EXPECT_EQ(often.machine.asked_huge, 5 * 2 * MiB + 64 * MiB / 64 * 3) << "every second one is too many";

  BareHeap seldom(0, 64 * KiB, false, 0);
  for (u32 i = 0; i < 12; i++) {
    seldom.machine.slow_ns = i % 4 == 0 ? 3'000'000 : 100'000;
    take_pages(seldom, 1);
  }
  EXPECT_EQ(seldom.machine.asked_huge, 12 * 2 * MiB + 64 * MiB / 64 * 3);
}

// A second table of marks is charged from its first use on, and not used where there is no room for it.
TEST(Budget, ASecondTableOfMarksIsChargedWhenItIsUsed) {
  BareHeap bare(8 * MiB);
  while (bare.heap.take_region(Role::eden, kLabelEden, 0) != kNoRegion) {}
  const u64 charged = bare.heap.budget().charged();
  EXPECT_FALSE(bare.heap.mark_twice()) << "the limit is used up";
  EXPECT_EQ(bare.heap.budget().with_tables(64 * MiB), 67 * MiB);
  for (u32 i = 0; i < 8; i++) bare.heap.free_region(i);
  EXPECT_FALSE(bare.heap.budget().mark_twice()) << "their pages are kept: nothing is tested";
  EXPECT_TRUE(bare.heap.mark_twice()) << "some of them give theirs up";
  EXPECT_TRUE(bare.heap.mark_twice());
  EXPECT_GE(bare.heap.free_charged(), 6 * bare.heap.region_bytes()) << "no more than it takes";
  EXPECT_EQ(bare.heap.budget().with_tables(64 * MiB), 68 * MiB);
  while (bare.heap.take_region(Role::eden, kLabelEden, 0) != kNoRegion) {}
  EXPECT_LT(bare.heap.budget().charged(), charged);
  EXPECT_LE(bare.heap.budget().committed(), 8 * MiB);
}

// Where there is no room for it whatever free regions give up, they keep their pages.
TEST(Budget, ASecondTableOfMarksTakesNothingInVain) {
  BareHeap bare(32 * MiB); // of which it would take half a megabyte
  while (bare.heap.take_region(Role::eden, kLabelEden, 0) != kNoRegion) {}
  for (u32 i = 0; i < 4; i++) bare.heap.free_region(i);
  ASSERT_FALSE(bare.heap.budget().may_mark_twice(bare.heap.free_charged())) << "a region less would do: nothing is tested";
  const u64 calls = bare.machine.calls, kept = bare.heap.free_charged();
  EXPECT_GT(kept, 0u);
  EXPECT_FALSE(bare.heap.mark_twice());
  EXPECT_EQ(bare.machine.calls, calls);
  EXPECT_EQ(bare.heap.free_charged(), kept);
}

// What is given back beyond huge_from is asked for as small, whether it was huge or not.
TEST(Budget, WhatWasHugeIsGivenBackAsSmall) {
  BareHeap bare(0, 64 * KiB, false, 0);
  bare.machine.slow_ns = 3'000'000;
  const u32 many = 2 * MiB / (64 * KiB);
  for (u32 i = 0; i < 4 * many; i++) EXPECT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), i);
  for (u32 i = 0; i < 4 * many; i++) bare.heap.free_region(i);
  bare.heap.trim(0);
  EXPECT_EQ(bare.machine.asked_small, 8 * MiB);
  EXPECT_EQ(bare.heap.budget().charged(), 0u);
}

TEST(Budget, TheRestOfAHugePageIsFreshForALargeObject) {
  BareHeap bare(0, 64 * KiB, false, 0);
  EXPECT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), 0u);
  EXPECT_EQ(bare.heap.free_charged(), 2 * MiB - 64 * KiB);
  const u32 large = bare.heap.take_large(512 * KiB, true, false);
  EXPECT_EQ(large, 1u);
  EXPECT_EQ(bare.heap.free_charged(), 2 * MiB - 9 * 64 * KiB);
  EXPECT_EQ(bare.machine.discarded, 0u);
  bare.heap.free_region(large);
  bare.heap.free_region(0);
  bare.machine.discarded = bare.machine.calls = 0;
  bare.heap.trim(0);
  EXPECT_EQ(bare.machine.discarded, 2 * MiB);
  EXPECT_EQ(bare.machine.calls, 1u) << "in one piece";
  EXPECT_EQ(bare.machine.asked_small, 2 * MiB) << "what is touched there next may be charged alone";
  EXPECT_EQ(bare.heap.budget().charged(), 0u);
}

// A region that was full of small objects goes to a large one of fewer pages: the others are charged still, and must be had by whoever lacks memory.
TEST(Budget, WhatALargeObjectDoesNotNeedIsGivenWhenItLacks) {
  for (bool trimmed : {false, true}) {
    BareHeap bare(1 * MiB);
    std::vector<u32> regions;
    for (u32 index; (index = bare.heap.take_region(Role::eden, kLabelEden, 0)) != kNoRegion;) {
      regions.push_back(index);
      memset(reinterpret_cast<void*>(bare.heap.begin_of(index)), 0x22, 64 * KiB);
    }
    ASSERT_EQ(regions.size(), 7u);
    for (u32 index : regions) bare.heap.free_region(index);
    for (u32& index : regions) {
      index = bare.heap.take_large(39 * KiB, true, false);
      ASSERT_NE(index, kNoRegion);
      for (word at = bare.heap.begin_of(index); at < bare.heap.begin_of(index) + 39 * KiB; at += kWordBytes) ASSERT_EQ(load_word(at), 0u);
      memset(reinterpret_cast<void*>(bare.heap.begin_of(index)), 0x33, 39 * KiB);
    }
    EXPECT_EQ(bare.heap.budget().charged(), 7 * 64 * KiB);
    EXPECT_EQ(bare.heap.free_charged(), 7 * 24 * KiB);
    if (trimmed) bare.heap.trim(0);
    const u32 more = bare.heap.take_region(Role::eden, kLabelEden, 0);
    ASSERT_NE(more, kNoRegion);
    EXPECT_EQ(bare.heap.budget().charged(), 64 * KiB + 7 * 40 * KiB);
    EXPECT_EQ(bare.heap.free_charged(), 0u);
    for (u32 index : regions) EXPECT_EQ(load_word(bare.heap.begin_of(index) + 39 * KiB - kWordBytes), 0x3333333333333333u) << "the object's own";
    for (u32 index : regions) bare.heap.free_region(index);
    bare.heap.free_region(more);
    EXPECT_EQ(bare.heap.free_charged(), 64 * KiB + 7 * 40 * KiB);
    bare.heap.trim(0);
    EXPECT_EQ(bare.heap.budget().charged(), 0u);
  }
}

TEST(Budget, NeverExceededByMany) {
  struct Team {
    BareHeap bare{6 * MiB};
    Atomic<u32> number, gone, over;
  } team;
  for (u32 t = 0; t < 4; t++)
    ASSERT_TRUE(team.bare.machine.start([](void* arg) {
      Team& all = *static_cast<Team*>(arg);
      Random random(all.number.fetch_add_relaxed(1));
      std::vector<u32> mine;
      for (u32 i = 0; i < 3000; i++) {
        u32 index = random.one_in(3) ? all.bare.heap.take_large(65 * KiB + random.below(300) * KiB, false, false) : all.bare.heap.take_region(Role::eden, kLabelEden, 0);
        if (all.bare.heap.budget().committed() > 6 * MiB) all.over.fetch_add_relaxed(1);
        if (index != kNoRegion) mine.push_back(index);
        else
          for (; mine.size() > 3; mine.pop_back()) all.bare.heap.free_region(mine.back());
      }
      for (u32 index : mine) all.bare.heap.free_region(index);
      all.gone.fetch_add_acq_rel(1);
    }, &team));
  CountingLinux::Self self(team.bare.machine, 0);
  while (team.gone.load_acquire() != 4) self.yield();
  EXPECT_EQ(team.over.load_relaxed(), 0u);
  EXPECT_EQ(team.bare.charges(), team.bare.heap.budget().charged());
  team.bare.heap.trim(0);
  EXPECT_EQ(team.bare.heap.budget().charged(), 0u);
}

TEST(Budget, FreshMemoryIsZeroAndUsedMemoryIsNotSaidToBe) {
  BareHeap bare(0, 64 * KiB, true); // poison
  u32 index = bare.heap.take_region(Role::eden, kLabelEden, 0);
  EXPECT_TRUE(bare.heap.region(index).clean);
  memset(reinterpret_cast<void*>(bare.heap.begin_of(index)), 0x11, 64 * KiB);
  bare.heap.free_region(index);
  EXPECT_EQ(load_word(bare.heap.begin_of(index)), 0xdbdbdbdbdbdbdbdbull);
  u32 again = bare.heap.take_region(Role::eden, kLabelEden, 0);
  EXPECT_EQ(again, index) << "a warm region is used before a fresh one";
  EXPECT_FALSE(bare.heap.region(again).clean);
  bare.heap.free_region(again);
  bare.heap.trim(0);
  again = bare.heap.take_region(Role::eden, kLabelEden, 0);
  EXPECT_TRUE(bare.heap.region(again).clean);
  EXPECT_EQ(load_word(bare.heap.begin_of(again) + 4096), 0u);
}

// Or arrays that the program never touched would take memory as they die: as much as the machine has, and more.
TEST(Budget, OfALargeObjectTheFirstRegionIsPoisonedAndNothingElseTouched) {
  BareHeap bare(0, 64 * KiB, true);
  const u32 index = bare.heap.take_large(8 * MiB, false, false);
  ASSERT_NE(index, kNoRegion);
  const word at = bare.heap.begin_of(index);
  bare.heap.free_region(index);
  EXPECT_EQ(load_word(at), 0xdbdbdbdbdbdbdbdbull);
  EXPECT_EQ(load_word(at + 64 * KiB - kWordBytes), 0xdbdbdbdbdbdbdbdbull);
  unsigned char present[8 * MiB / 4096];
  ASSERT_EQ(mincore(reinterpret_cast<void*>(at), 8 * MiB, present), 0);
  usize pages = 0;
  for (unsigned char one : present) pages += one & 1;
  EXPECT_EQ(pages, 64 * KiB / 4096);
}

// Where all free memory goes back, so do the pages of marks and targets that full collections have touched for it: of 64 MB that is 3 MB, which no budget would know of. Those of what is in use stay.
TEST(Budget, TablesOfFreeRegionsGoBackWithAllOfTheirPages) {
  BareHeap bare(0, 256 * KiB);
  std::vector<u32> regions;
  for (u32 i = 0; i < 64; i++) regions.push_back(bare.heap.take_region(Role::old, kLabelOld, 0));
  const u32 kept = regions.back();
  for (u32 index : regions) {
    const word at = bare.heap.begin_of(index);
    bare.heap.marks().mark(at, 256 * KiB);
    if (index != kept) bare.heap.marks().clear(at, at + 256 * KiB);
    bare.heap.targets().entry_of(at) = {};
  }
  auto present = [&](const void* of, usize bytes) {
    std::vector<unsigned char> pages(bytes / kPageBytes);
    EXPECT_EQ(mincore(reinterpret_cast<void*>(align_down(word(of), kPageBytes)), bytes, pages.data()), 0);
    return usize(std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; }));
  };
  auto marks = [&](u32 index) { return present(&bare.heap.marks().entry_of(bare.heap.begin_of(index)), 4 * KiB); };
  auto targets = [&](u32 index) { return present(&bare.heap.targets().entry_of(bare.heap.begin_of(index)), 8 * KiB); };
  for (u32 index : regions) {
    ASSERT_EQ(marks(index), 1u);
    ASSERT_GE(targets(index), 1u);
    if (index != kept) bare.heap.free_region(index);
  }
  bare.heap.trim(0);
  EXPECT_EQ(bare.heap.budget().charged(), 256 * KiB);
  EXPECT_EQ(marks(regions[0]), 1u) << "for who grows again at once";
  bare.heap.trim(0, true);
  for (u32 index : regions) {
    EXPECT_EQ(marks(index), index == kept ? 1u : 0u);
    EXPECT_EQ(targets(index) != 0, index == kept);
  }
  EXPECT_TRUE(bare.heap.marks().is_marked(bare.heap.begin_of(kept)));
  EXPECT_FALSE(bare.heap.marks().is_marked(bare.heap.begin_of(regions[0])));
}

// An object of 36 KB takes a region of 64: what it does not need would have to be brought again for whoever comes next. So what such a one leaves is for such again, as long as others find whole regions.
TEST(Budget, WhatALargeObjectLeavesIsForOneOfItsSize) {
  BareHeap bare;
  auto eden = [&] { return bare.heap.take_region(Role::eden, kLabelEden, 0); };
  std::vector<u32> whole{eden(), eden(), eden()};
  const u32 small = bare.heap.take_large(36 * KiB, true, false), other = bare.heap.take_large(52 * KiB, true, false);
  const u32 long_run = bare.heap.take_large(3 * 64 * KiB + 20 * KiB, true, false);
  for (u32 index : {small, other, long_run}) bare.heap.free_region(index);
  for (u32 index : whole) bare.heap.free_region(index);
  const u64 charged = bare.heap.budget().charged();
  for (u32 round = 0; round < 5; round++) { // of each kind, in whatever order, until nothing is left: nothing is charged that was not
    std::vector<u32> taken;
    auto large = [&](usize bytes) { return taken.push_back(bare.heap.take_large(bytes, true, false)), taken.back(); };
    if (round % 2 == 1) EXPECT_EQ(large(52 * KiB), other);
    EXPECT_EQ(large(36 * KiB), small);
    for (u32 i = 0; i < 3; i++) {
      taken.push_back(eden());
      EXPECT_EQ(bare.heap.region(taken.back()).charged, 64 * KiB);
      EXPECT_NE(std::find(whole.begin(), whole.end(), taken.back()), whole.end());
    }
    if (round % 2 == 0) EXPECT_EQ(large(52 * KiB), other);
    EXPECT_EQ(large(3 * 64 * KiB + 20 * KiB), long_run);
    EXPECT_EQ(bare.heap.budget().charged(), charged);
    EXPECT_EQ(bare.heap.free_charged(), 0u) << "no page lies behind an object";
    for (u32 index : taken) bare.heap.free_region(index);
  }
}

// Fresh pages of a small object are fewer than those that a whole region would lack; where the budget has none left a whole one is better than dropping it.
TEST(Budget, AWholeRegionIsKeptForEdenAsLongAsThereIsRoom) {
  for (bool tight : {false, true}) {
    BareHeap bare(tight ? 4 * MiB : 0);
    std::vector<u32> whole;
    for (u32 i = 0; i < (tight ? 1000u : 4u); i++) {
      const u32 index = bare.heap.take_region(Role::eden, kLabelEden, 0);
      if (index == kNoRegion) break;
      whole.push_back(index);
    }
    ASSERT_GE(whole.size(), 4u);
    while (tight && bare.heap.budget().room() >= 28 * KiB && bare.heap.take_large(4 * KiB, true, false) != kNoRegion) {}
    bare.heap.free_region(whole[1]);
    const u64 dropped = bare.machine.discarded;
    const u32 index = bare.heap.take_large(28 * KiB, true, false);
    ASSERT_NE(index, kNoRegion);
    EXPECT_EQ(index == whole[1], tight);
    EXPECT_EQ(bare.machine.discarded, dropped);
    if (!tight) EXPECT_EQ(bare.heap.take_large(60 * KiB, true, false), whole[1]) << "nearly whole";
  }
}

// Where the system grants no more memory, what it has granted is there: a run beyond it whose pages would fit better is none.
TEST(Budget, ARunThatTheSystemDoesNotGrantIsNoRun) {
  BareHeap bare(0, 64 * KiB, false, ~usize(0), false, 192 * MiB);
  constexpr u32 kOpened = u32(64 * MiB / (64 * KiB));
  for (u32 i = 0; i < kOpened; i++) ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0), i);
  for (u32 i : {7u, 9u, 10u}) bare.heap.free_region(i);
  bare.machine.grants = false;
  EXPECT_EQ(bare.heap.take_large(20 * KiB, true, false), 7u) << "20 KB would be brought beyond, 44 lie unused here";
  EXPECT_EQ(bare.heap.take_large(64 * KiB + 4 * KiB, true, false), 9u);
  EXPECT_EQ(bare.heap.take_large(20 * KiB, true, false), kNoRegion);
  bare.machine.grants = true;
  EXPECT_EQ(bare.heap.take_large(20 * KiB, true, false), kOpened);
}

// Eden, too, where what is held for copies is no reason to look further, has what large objects have left, when there is nothing else.
TEST(Budget, WhatLargeObjectsLeaveIsTheLastPlaceOfAnEdenThatHolds) {
  BareHeap bare(0, 64 * KiB, false, ~usize(0), true);
  std::vector<u32> taken;
  for (u32 index; (index = bare.heap.take_large(40 * KiB, false, false)) != kNoRegion;) taken.push_back(index);
  ASSERT_EQ(taken.size(), 64 * MiB / (64 * KiB));
  for (u32 i = 0; i < 8; i++) bare.heap.free_region(taken[i * 3]);
  bare.heap.hold(MiB);
  const u64 charged = bare.heap.budget().charged();
  for (u32 i = 0; i < 8; i++) ASSERT_NE(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion) << i;
  EXPECT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  EXPECT_EQ(bare.heap.budget().charged(), charged + 8 * 24 * KiB);
  EXPECT_EQ(bare.charges(), bare.heap.budget().charged());
}

// It stands among the whole ones, gave up its pages there, and a large object had it meanwhile: it comes after those that are whole.
TEST(Budget, ARegionThatWasWholeWhenItWasListedIsOfThoseThatLackSomething) {
  BareHeap bare;
  auto take = [&] { return bare.heap.take_region(Role::old, kLabelOld, 0); };
  const u32 whole = take(), partly = take();
  for (u32 index : {whole, partly}) bare.heap.free_region(index);
  bare.heap.trim(64 * KiB);
  ASSERT_EQ(bare.heap.region(partly).charged, 0u);
  ASSERT_EQ(bare.heap.take_large(20 * KiB, true, false), partly);
  bare.heap.free_region(partly);
  ASSERT_EQ(bare.heap.free_charged(), 84 * KiB);
  EXPECT_EQ(take(), whole);
  EXPECT_EQ(take(), partly);
  EXPECT_EQ(bare.heap.region(partly).charged, 64 * KiB);
  EXPECT_EQ(bare.heap.free_charged(), 0u);
  EXPECT_EQ(bare.charges(), bare.heap.budget().charged());
}

TEST(Budget, LargeRunsAreClearedWhenAsked) {
  BareHeap bare;
  for (u32 i = 0; i < 6; i++) {
    u32 index = bare.heap.take_region(Role::old, kLabelOld, 0);
    memset(reinterpret_cast<void*>(bare.heap.begin_of(index)), 0x22, 64 * KiB);
  }
  for (u32 i = 0; i < 6; i++) bare.heap.free_region(i);
  usize bytes = 200 * KiB + 24;
  u32 run = bare.heap.take_large(bytes, true, false);
  ASSERT_NE(run, kNoRegion);
  word any = 0;
  for (usize i = 0; i < bytes; i += kWordBytes) any |= load_word(bare.heap.begin_of(run) + i);
  EXPECT_EQ(any, 0u);
  EXPECT_EQ(bare.heap.region(run).run, 4u);
  for (u32 i = run + 1; i < run + 4; i++) {
    EXPECT_EQ(bare.heap.region(i).role, Role::large_tail);
    EXPECT_EQ(bare.heap.head_of(i), run);
    EXPECT_EQ(bare.heap.label(i), kLabelOld) << "the barrier looks at the region of the slot";
  }
  bare.heap.free_region(run);
  for (u32 i = run; i < run + 4; i++) EXPECT_EQ(bare.heap.label(i), kLabelEden) << "a free region must never look old to the barrier";
}

// Runs come and go without a small region being taken: the list of warm regions must not grow with every one.
TEST(Budget, ChurnOfLargeRunsKeepsItsTablesSmall) {
  BareHeap bare;
  for (u32 i = 0; i < 100; i++) bare.heap.free_region(bare.heap.take_large(500 * KiB, false, false));
  usize before = own_bytes();
  for (u32 i = 0; i < 20'000; i++) bare.heap.free_region(bare.heap.take_large(500 * KiB, false, false));
  EXPECT_LE(own_bytes(), before + 64 * KiB);
}

} // namespace
} // namespace garner::test
