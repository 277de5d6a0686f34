// What the system refuses a heap: address space, which it does with less of, down to the least; to drop pages, which read as zero all the same.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>

#include "bare_heap.h"

namespace garner::test {
namespace {

// Grants so much address space in all.
class LittleSpace : public CountingLinux {
 public:
  struct Self : CountingLinux::Self {
    Self(LittleSpace& machine, u32 worker) : CountingLinux::Self(machine, worker) {}
  };
  word reserve(usize bytes, usize alignment) {
    if (taken + bytes > most) return 0;
    taken += bytes;
    return CountingLinux::reserve(bytes, alignment);
  }
  void release(word at, usize bytes) {
    taken -= bytes;
    CountingLinux::release(at, bytes);
  }
  usize taken = 0, most = 0;
};

// The heap takes what there is: halved until it and all its tables fit, with those for marking beside the program.
TEST(AddressSpace, IsHalvedUntilHeapAndTablesFit) {
  for (bool beside : {false, true})
    for (usize most = 4 * MiB; most <= 80 * MiB; most += MiB) {
      LittleSpace machine;
      machine.most = most;
      Heap<LittleSpace> heap;
      HeapShape shape{.reserve_bytes = 64 * MiB, .least_bytes = 4 * MiB, .region_bytes = 64 * KiB, .limit = 0, .poison = false, .beside = beside};
      const bool made = heap.init(machine, shape, {[](void*, word at, usize bytes) { synthetic::fill(at, bytes); }, nullptr});
      if (!made) {
        EXPECT_EQ(machine.taken, 0u) << most;
        EXPECT_LT(most, 5 * MiB) << "the least would have fitted";
        continue;
      }
      EXPECT_LE(machine.taken, most);
      EXPECT_TRUE(heap.reserved() == 64 * MiB || 2 * machine.taken > most) << heap.reserved() << " of " << most << ": twice as much would have fitted";
      EXPECT_NE(heap.take_region(Role::eden, kLabelEden, 0), kNoRegion) << "and it can be used";
      machine.release(heap.base(), heap.reserved());
    }
}

// Grants use of so many bytes in all.
class LittleMemory : public CountingLinux {
 public:
  struct Self : CountingLinux::Self {
    Self(LittleMemory& machine, u32 worker) : CountingLinux::Self(machine, worker) {}
  };
  bool open(word at, usize bytes) {
    std::vector<word> more;
    for (word page = align_down(at, kPageBytes); page < at + bytes; page += kPageBytes)
      if (used.count(page) == 0) more.push_back(page);
    if (used.size() + more.size() > most) return false;
    used.insert(more.begin(), more.end());
    return CountingLinux::open(at, bytes);
  }
  std::set<word> used; // pages
  usize most = ~usize(0);
};

// The heap is made usable by large steps; where the system has less left than one it is taken to the last.
TEST(AddressSpace, WhatTheSystemHasLeftIsUsed) {
  LittleMemory machine;
  Heap<LittleMemory> heap;
  HeapShape shape{.reserve_bytes = 256 * MiB, .least_bytes = 4 * MiB, .region_bytes = 64 * KiB, .limit = 0, .poison = false};
  ASSERT_TRUE(heap.init(machine, shape, {[](void*, word at, usize bytes) { synthetic::fill(at, bytes); }, nullptr}));
  machine.most = machine.used.size() + 20 * MiB / kPageBytes; // a third of a step
  u32 regions = 0;
  for (u32 at; (at = heap.take_region(Role::eden, kLabelEden, 0)) != kNoRegion; regions++) {
    *reinterpret_cast<volatile u64*>(heap.begin_of(at)) = 1;
    ASSERT_LT(regions, 2 * 20 * MiB / (64 * KiB));
  }
  EXPECT_GT(regions * 64 * KiB, 12 * MiB) << "tables, and those of a whole step";
  EXPECT_EQ(heap.take_large(2 * MiB, true, false), kNoRegion);
  machine.release(heap.base(), heap.reserved());
}

// Slabs keep their home. When addresses are out, those of another home do: a node's free memory is not lost to the others.
TEST(AddressSpace, OfAnotherHomeWhereOnesOwnIsUsedUp) {
  ManyNodes machine;
  machine.many = 2;
  Heap<ManyNodes> heap;
  HeapShape shape{.reserve_bytes = 16 * MiB, .least_bytes = 16 * MiB, .region_bytes = 64 * KiB, .limit = 0, .poison = false};
  ASSERT_TRUE(heap.init(machine, shape, {[](void*, word at, usize bytes) { synthetic::fill(at, bytes); }, nullptr}));
  std::vector<u32> first;
  for (u32 i = 0; i < heap.regions(); i++) first.push_back(heap.take_region(Role::old, kLabelOld, 0, 0));
  EXPECT_EQ(first.back(), heap.regions() - 1) << "all addresses are the first node's";
  EXPECT_EQ(heap.take_region(Role::old, kLabelOld, 0, 1), kNoRegion);
  for (u32 i = 0; i < heap.regions(); i++)
    if (i % 2 == 0 || i >= heap.regions() / 2) heap.free_region(first[i]);
  for (u32 i = 0; i < 50; i++) {
    const u32 at = heap.take_region(i % 3 == 0 ? Role::eden : Role::old, i % 3 == 0 ? kLabelEden : kLabelOld, 0, i % 2 == 0 ? 1 : kHomeInterleaved);
    ASSERT_NE(at, kNoRegion) << i;
    EXPECT_EQ(heap.home(at), 0);
  }
  EXPECT_NE(heap.take_large(1 * MiB, true, false, 1), kNoRegion);
  machine.release(heap.base(), heap.reserved());
}

// A program that locks all its memory: the system does not drop locked pages.
TEST(AddressSpace, LockedPagesAreZeroAfterTheyWereDropped) {
  Linux machine;
  constexpr usize kBytes = 4 * kPageBytes; // less than anybody may lock
  const word at = machine.reserve(kBytes, kPageBytes);
  ASSERT_NE(at, 0u);
  ASSERT_TRUE(machine.open(at, kBytes));
  for (bool locked : {false, true}) {
    if (locked) ASSERT_EQ(mlock(reinterpret_cast<void*>(at), kBytes), 0);
    memset(reinterpret_cast<void*>(at), 0x5a, kBytes);
    machine.discard(at, kBytes);
    for (usize i = 0; i < kBytes; i += kWordBytes) ASSERT_EQ(load_word(at + i), 0u) << (locked ? "locked, " : "") << i;
  }
  munlock(reinterpret_cast<void*>(at), kBytes);
  machine.release(at, kBytes);
}

} // namespace
} // namespace garner::test
