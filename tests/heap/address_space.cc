// What the system refuses a heap: address space, which it does with less of, down to the least; to drop pages, which read as zero all the same.
#include <gtest/gtest.h>
#include <sys/mman.h>

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
