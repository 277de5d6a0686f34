// Pages that come at once instead of a fault each. Of marks, before they are read: of regions with objects, and no others; read and then written they fault no more. Of regions that nobody
// has written to: as they are taken, beyond the first megabyte; of large objects what they lack that have one region, where there were others.
#include <sys/mman.h>
#include <sys/resource.h>

#include "bare_heap.h"

namespace garner::test {
namespace {

constexpr usize kMarkBytes = 64 * KiB / kMarkBlockBytes * sizeof(MarkWord<CountingLinux>); // of a region

u64 faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return u64(usage.ru_minflt);
}

// Faults of a marker's way through regions [from, to): each entry is read, then written.
u64 mark_through(Heap<CountingLinux>& heap, u32 from, u32 to) {
  const u64 before = faults();
  for (word at = heap.begin_of(from); at < heap.end_of(to - 1); at += kMarkBlockBytes)
    if (!heap.marks().is_marked(at)) heap.marks().mark(at, 32);
  return faults() - before;
}

TEST(BroughtMarks, AreThoseOfRegionsInUse) {
  BareHeap bare;
  u32 taken[8];
  for (u32& index : taken) ASSERT_NE(index = bare.heap.take_region(Role::old, kLabelOld, 0), kNoRegion);
  const u32 large = bare.heap.take_large(200 * KiB, false, false);
  ASSERT_NE(large, kNoRegion);
  bare.heap.free_region(taken[3]);
  bare.heap.bring_marks(0, bare.heap.high_water());
  EXPECT_EQ(bare.machine.brought, 7 * kMarkBytes) << "a free region's came too, or a large object's, which takes one mark";
  bare.machine.brought = 0;
  bare.heap.bring_marks(taken[4], taken[6]);
  EXPECT_EQ(bare.machine.brought, 2 * kMarkBytes) << "of the regions asked for";
}

// Where what a look at a page faults for is the page itself, and pages can be brought.
class BroughtPages : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "a sanitizer's own tables fault for each page that is looked at";
#endif
    if (madvise(nullptr, 0, 23) != 0) GTEST_SKIP() << "a system without MADV_POPULATE_WRITE (before Linux 5.14)";
  }
};

TEST_F(BroughtPages, OfMarksFaultNoMore) {
  constexpr u32 kRegions = 256; // whose marks are 128 pages
  BareHeap bare, untold;
  for (u32 i = 0; i < kRegions; i++) {
    ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0), i);
    ASSERT_EQ(untold.heap.take_region(Role::old, kLabelOld, 0), i);
  }
  const u64 without = mark_through(untold.heap, 0, kRegions);
  if (without < kRegions / 2) GTEST_SKIP() << "this system has brought the marks by itself: " << without << " faults";
  bare.heap.bring_marks(0, kRegions);
  const u64 with = mark_through(bare.heap, 0, kRegions);
  EXPECT_LE(with, without / 8);
}

TEST(BroughtRegions, AreThoseBeyondTheFirstMegabyteThatNobodyHasWrittenTo) {
  constexpr u32 kFirst = u32(MiB / (64 * KiB));
  BareHeap bare;
  for (u32 i = 0; i < kFirst; i++) ASSERT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), i);
  EXPECT_EQ(bare.machine.brought, 0u) << "a small program's pages come as they are touched";
  for (u32 i = kFirst; i < kFirst + 3; i++) ASSERT_EQ(bare.heap.take_region(Role::eden, kLabelEden, 0), i);
  EXPECT_EQ(bare.machine.brought, 3 * 64 * KiB);
  bare.heap.free_region(kFirst + 1);
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0), kFirst + 1);
  EXPECT_EQ(bare.machine.brought, 3 * 64 * KiB) << "its pages are there";
  bare.heap.free_region(kFirst + 1);
  bare.heap.trim(0);
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0), kFirst + 1);
  EXPECT_EQ(bare.machine.brought, 4 * 64 * KiB) << "given back, they must come again";
  ASSERT_NE(bare.heap.take_large(2 * MiB, false, false), kNoRegion);
  EXPECT_EQ(bare.machine.brought, 4 * 64 * KiB) << "nobody may ever touch a large object";
}

// Who takes a region for others brings what one of them wants, and the rest when they may use it: nobody waits for pages that are wanted later.
TEST(BroughtRegions, AreUsedWhileTheirRestComes) {
  constexpr u32 kFirst = u32(MiB / (64 * KiB));
  BareHeap bare;
  while (bare.heap.high_water() < kFirst) ASSERT_NE(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  u32 calls = 0;
  word meanwhile = 0;
  bare.machine.on_bring = [&] {
    if (++calls == 2 && bare.space.current() == kFirst) meanwhile = bare.space.take(16 * KiB, 16 * KiB).begin;
  };
  const Range range = bare.space.take(16 * KiB, 16 * KiB);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(bare.machine.brought, 64 * KiB);
  EXPECT_EQ(meanwhile, bare.heap.begin_of(kFirst)) << "another thread's buffer";
  EXPECT_EQ(range.begin, meanwhile + 16 * KiB);

  Heap<CountingLinux>::Unbrought rest;
  bare.machine.brought = 0;
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0, kHomeFirstTouch, Reach::ordinary, &rest, 10 * KiB), kFirst + 1);
  EXPECT_EQ(bare.machine.brought, 12 * KiB) << "whole pages";
  bare.heap.bring(rest);
  EXPECT_EQ(bare.machine.brought, 64 * KiB);
  bare.heap.free_region(kFirst + 1);
  rest = {};
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0, kHomeFirstTouch, Reach::ordinary, &rest, 10 * KiB), kFirst + 1);
  bare.heap.bring(rest);
  EXPECT_EQ(bare.machine.brought, 64 * KiB) << "its pages are there";
  bare.heap.free_region(kFirst + 1);
  ASSERT_EQ(bare.heap.take_large(40 * KiB, true, false), kFirst + 1);
  bare.heap.free_region(kFirst + 1);
  bare.heap.trim(0);
  ASSERT_EQ(bare.heap.take_large(40 * KiB, true, false), kFirst + 1);
  bare.heap.free_region(kFirst + 1);
  bare.machine.brought = 0;
  rest = {};
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0, kHomeFirstTouch, Reach::ordinary, &rest, 10 * KiB), kFirst + 1);
  EXPECT_EQ(bare.machine.brought, 0u) << "what is wanted first a large object had";
  bare.heap.bring(rest);
  EXPECT_EQ(bare.machine.brought, 24 * KiB);
}

// Where large objects of one region come and go, what is not there of it comes with it, and no more. The first that have a region may be buffers of which little is used.
TEST(BroughtRegions, AreWhatALargeObjectLacksThatReplacesOne) {
  constexpr u32 kFirst = u32(MiB / (64 * KiB));
  BareHeap bare;
  while (bare.heap.high_water() < kFirst) ASSERT_NE(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  ASSERT_EQ(bare.heap.take_large(40 * KiB + 1, true, false), kFirst);
  EXPECT_EQ(bare.machine.brought, 0u) << "nobody has used the region before";
  bare.heap.free_region(kFirst);
  ASSERT_EQ(bare.heap.take_large(60 * KiB, true, false), kFirst);
  EXPECT_EQ(bare.machine.brought, 16 * KiB) << "what the one before had is there";
  bare.heap.free_region(kFirst);
  ASSERT_EQ(bare.heap.take_large(60 * KiB, true, false), kFirst);
  EXPECT_EQ(bare.machine.brought, 16 * KiB) << "all is there";
  bare.heap.free_region(kFirst);
  bare.heap.trim(0);
  ASSERT_EQ(bare.heap.take_large(50 * KiB, true, false), kFirst);
  EXPECT_EQ(bare.machine.brought, 16 * KiB + 52 * KiB) << "given back, they must come again";
  bare.heap.free_region(0);
  bare.heap.trim(0);
  ASSERT_EQ(bare.heap.take_large(50 * KiB, true, false), 0u);
  EXPECT_EQ(bare.machine.brought, 16 * KiB + 52 * KiB) << "a small program's pages come as they are touched";
  ASSERT_EQ(bare.heap.take_large(64 * KiB + 1, false, false), kFirst + 1);
  bare.heap.free_region(kFirst + 1);
  bare.heap.trim(0);
  ASSERT_EQ(bare.heap.take_large(64 * KiB + 1, false, false), kFirst + 1);
  EXPECT_EQ(bare.machine.brought, 16 * KiB + 52 * KiB) << "nobody may ever touch a larger one";
}

// What a large object has left has the pages that it had. Others that take it bring the rest with one call.
TEST(BroughtRegions, AreWhatOthersLackWhereALargeObjectWas) {
  constexpr u32 kFirst = u32(MiB / (64 * KiB));
  BareHeap bare;
  while (bare.heap.high_water() < kFirst) ASSERT_NE(bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  ASSERT_EQ(bare.heap.take_large(40 * KiB, true, false), kFirst);
  bare.heap.free_region(kFirst);
  ASSERT_EQ(bare.heap.take_region(Role::old, kLabelOld, 0), kFirst);
  EXPECT_EQ(bare.machine.brought, 24 * KiB);
}

TEST_F(BroughtPages, OfRegionsFaultNoMore) {
  BareHeap bare;
  u32 index = 0;
  while (index < 2 * MiB / (64 * KiB)) ASSERT_NE(index = bare.heap.take_region(Role::eden, kLabelEden, 0), kNoRegion);
  const u64 before = faults();
  for (word at = bare.heap.begin_of(index); at < bare.heap.end_of(index); at += kPageBytes) *reinterpret_cast<volatile u8*>(at) = 1;
  EXPECT_LE(faults() - before, 2u); // of 16 pages; a page of this code may come too
}

} // namespace
} // namespace garner::test
