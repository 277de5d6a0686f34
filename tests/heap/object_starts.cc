// Object starts are entered by buffer, and exactly where a look has passed; an interior pointer finds its object: one past the end, at a region's end, in large runs,
// in fillers and outside.
#include "bare_heap.h"
#include "heap/starts.h"

namespace garner::test {
namespace {

struct Objects {
  usize size(Ref ref) const { return synthetic::bytes_of(synthetic::type_of(ref)); }
  bool filler(Ref ref) const { return synthetic::is_filler(ref); }
};

class ObjectStarts : public ::testing::Test {
 protected:
  // Fills the region with objects and fillers at random, to its very end, by buffers of 20 KB.
  u32 full_region(Random& random) {
    u32 index = bare.heap.take_region(Role::old, kLabelOld, 0);
    word at = bare.heap.begin_of(index), end = bare.heap.end_of(index), buffer = at;
    while (at < end) {
      if (at >= buffer) note_start(bare.heap, index, at, buffer = at + 20 * KiB < end ? at + 20 * KiB : end);
      usize bytes = min_of<usize>(24 + (random.below(800) >> random.below(6)) * 8, end - at);
      if (end - at - bytes < 24) bytes = end - at;
      if (random.one_in(5)) synthetic::fill(at, bytes);
      else synthetic::format(at, synthetic::make_type(synthetic::Shape::plain, 0, 0, bytes), 1, 0);
      at += bytes;
    }
    bare.heap.region(index).top.store_relaxed(end);
    return index;
  }
  Ref find(word pointer) { return object_containing(bare.heap, objects, pointer); }
  BareHeap bare;
  Objects objects;
};

TEST_F(ObjectStarts, EveryWordOfARegionFindsItsObject) {
  Random random(9);
  for (u32 round = 0; round < 20; round++) {
    u32 index = full_region(random);
    word begin = bare.heap.begin_of(index), end = bare.heap.end_of(index);
    for (word block = begin; block < end;) {
      usize bytes = objects.size(ref_of(block));
      Ref expected = objects.filler(ref_of(block)) ? Ref{0} : ref_of(block);
      for (word pointer = block + 8; pointer <= block + bytes; pointer += 1 + random.below(9)) ASSERT_EQ(find(pointer).at, expected.at);
      // One past the end is the next object's first byte, and at the region's end the next region's.
      ASSERT_EQ(find(block + bytes).at, expected.at);
      block += bytes;
    }
  }
}

TEST_F(ObjectStarts, ALookEntersWhatItHasWalkedOver) {
  Random random(4);
  u32 index = full_region(random);
  const word begin = bare.heap.begin_of(index), far = begin + 18 * KiB;
  for (word card = begin; card < far; card += kCardBytes) EXPECT_EQ(start_before(bare.heap, index, card), begin) << "of the first buffer only its begin is known";
  find(far + 8);
  u32 entered = 0;
  for (word card = begin + kCardBytes; card <= far; card += kCardBytes) {
    const word block = start_before(bare.heap, index, card);
    EXPECT_LE(block, card);
    EXPECT_GT(block + objects.size(ref_of(block)), card) << "the block that covers the card's first byte";
    entered += block != begin;
  }
  EXPECT_GT(entered, 7u);
  EXPECT_EQ(start_before(bare.heap, index, far + kCardBytes), begin) << "no look has come here";
}

TEST_F(ObjectStarts, NothingIsFoundAboveTheTop) {
  Random random(4);
  u32 index = full_region(random);
  word half = bare.heap.begin_of(index);
  while (half < bare.heap.begin_of(index) + 32 * KiB) half += objects.size(ref_of(half));
  bare.heap.region(index).top.store_relaxed(half);
  EXPECT_EQ(find(half + 64).at, 0u);
  EXPECT_NE(find(half - 8).at, bare.heap.begin_of(index));
}

// What a space carves is entered, from holes too: the hole that is left begins a filler of its own.
TEST_F(ObjectStarts, ASpaceEntersItsBuffers) {
  Range first = bare.space.take(10 * KiB, 10 * KiB), second = bare.space.take(20 * KiB, 20 * KiB);
  const u32 index = bare.heap.index_at(first.begin);
  for (word card = first.begin; card < second.end; card += kCardBytes) EXPECT_EQ(start_before(bare.heap, index, card), card < second.begin ? first.begin : second.begin);
  bare.heap.fill(second.begin, second.bytes());
  bare.space.add_hole(second.begin, second.end);
  Range again = bare.space.take(6 * KiB, 6 * KiB);
  ASSERT_EQ(again.begin, second.begin);
  for (word card = align_up(again.begin, kCardBytes); card < second.end; card += kCardBytes)
    EXPECT_EQ(start_before(bare.heap, index, card), card < again.end ? again.begin : again.end);
}

TEST_F(ObjectStarts, LargeRunsAreFoundFromAllTheirRegions) {
  usize bytes = 300 * KiB + 40;
  u32 run = bare.heap.take_large(bytes, true, false);
  word block = bare.heap.begin_of(run);
  synthetic::format(block, synthetic::make_type(synthetic::Shape::plain, 0, 0, bytes), 1, 0);
  for (word pointer = block + 8; pointer <= block + bytes; pointer += 777) EXPECT_EQ(find(pointer).at, ref_of(block).at);
  EXPECT_EQ(find(block + bytes).at, ref_of(block).at);
  EXPECT_EQ(find(block + bytes + 8).at, 0u);
}

TEST_F(ObjectStarts, OutsideAndFreeRegionsHoldNothing) {
  EXPECT_EQ(find(0).at, 0u);
  EXPECT_EQ(find(bare.heap.base()).at, 0u);
  EXPECT_EQ(find(bare.heap.base() + 100).at, 0u);
  EXPECT_EQ(find(bare.heap.end()).at, 0u);
  EXPECT_EQ(find(bare.heap.end() + 8).at, 0u);
  EXPECT_EQ(find(~word(0)).at, 0u);
}

} // namespace
} // namespace garner::test
