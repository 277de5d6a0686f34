// N1, N3: an object is born in eden, survives into survivor space, and is old after its tenure; eden and from-space are empty afterwards.
#include "small_heap.h"

namespace garner::test {
namespace {

TEST(Ages, N1SecondSurvivalPromotes) {
  SmallHeap heap; // tenure_age 1: the paper's rule
  usize root = heap.root(heap.node(1));
  EXPECT_EQ(heap.role(heap.at(root)), Role::eden);
  word born = heap.at(root).at;
  heap.young();
  EXPECT_EQ(heap.role(heap.at(root)), Role::survivor);
  EXPECT_EQ(heap.generation(heap.at(root)), 1u);
  word survived = heap.at(root).at;
  EXPECT_NE(survived, born);
  heap.young();
  EXPECT_EQ(heap.role(heap.at(root)), Role::old);
  word old = heap.at(root).at;
  for (u32 i = 0; i < 3; i++) heap.young();
  EXPECT_EQ(heap.at(root).at, old) << "a young collection does not move old objects";
}

TEST(Ages, N1TenureIsHowOftenAnObjectStaysInSurvivorSpace) {
  for (u32 tenure : {0u, 1u, 2u, 3u, 6u}) {
    SmallHeap heap("tenure_age=" + std::to_string(tenure));
    usize root = heap.root(heap.leaf());
    for (u32 i = 0; i < tenure; i++) {
      heap.young();
      ASSERT_EQ(heap.role(heap.at(root)), Role::survivor) << "tenure " << tenure << " collection " << i;
      ASSERT_EQ(heap.heap().region_of(heap.at(root)).age, i + 1);
    }
    heap.young();
    ASSERT_EQ(heap.role(heap.at(root)), Role::old) << "tenure " << tenure;
  }
}

// All of what is made is kept: waiting in survivor space is in vain, and after some collections nothing waits there any more; asked for, it does.
TEST(Ages, N1WhereAllWhoWaitComeThroughNobodyWaits) {
  SyntheticShape shape = SmallHeap::roomy();
  shape.eden = shape.eden_min = shape.eden_max = 4 * MiB;
  for (const char* tenure : {"adaptive", "fixed"}) {
    SmallHeap heap(std::string("verify=off,resize=fixed,en_masse=off,tenure=") + tenure, shape);
    u32 straight = 0, collections = 0;
    u64 seen = heap.host.cycle->count();
    while (collections < 12) {
      heap.root(heap.leaf(1024));
      if (heap.host.cycle->count() == seen) continue;
      seen = heap.host.cycle->count();
      collections++;
      if (heap.host.cycle->last_any().generation == 1 && heap.host.cycle->sizes().bytes[1] == 0) straight++;
    }
    if (tenure[0] == 'f') {
      EXPECT_EQ(straight, 0u);
      continue;
    }
    EXPECT_GE(straight, 4u);
    heap.young();
    usize fresh = heap.root(heap.leaf());
    heap.young();
    EXPECT_EQ(heap.role(heap.at(fresh)), Role::survivor) << "a collection that was asked for ages";
  }
}

TEST(Ages, N3N1EdenAndFromSpaceAreEmptyAfterwards) {
  SmallHeap heap;
  for (u32 i = 0; i < 3000; i++) {
    Ref ref = heap.node(2, 40);
    if (i % 10 == 0) heap.root(ref);
  }
  for (u32 round = 0; round < 4; round++) {
    std::vector<u32> from; // regions that are eden or survivors now
    heap.close_buffers();
    heap.heap().each_region([&](u32 index, auto& r) {
      if (r.role == Role::eden || r.role == Role::survivor) from.push_back(index);
    });
    heap.young();
    for (u32 index : from) EXPECT_EQ(heap.heap().region(index).role, Role::free) << "space that was evacuated is in use: the roles did not swap";
    EXPECT_EQ(heap.host.cycle->sizes().bytes[0], 0u);
    EXPECT_EQ(heap.host.cycle->spaces().eden.used(), 0u);
    for (u32 i = 0; i < 500; i++) heap.node(1);
  }
  EXPECT_EQ(heap.host.cycle->sizes().bytes[1], 0u);
}

TEST(Ages, N3TheYoungestCollectionLeavesSurvivorsAlone) {
  SmallHeap heap;
  usize root = heap.root(heap.leaf());
  heap.young0();
  word survived = heap.at(root).at;
  EXPECT_EQ(heap.role(heap.at(root)), Role::survivor);
  usize newer = heap.root(heap.leaf());
  heap.young0();
  EXPECT_EQ(heap.at(root).at, survived);
  EXPECT_EQ(heap.role(heap.at(newer)), Role::survivor);
}

TEST(Ages, N3FullSurvivorSpaceOverflowsIntoOld) {
  SyntheticShape shape = SmallHeap::roomy();
  SmallHeap heap("plab_young=1k", shape);
  heap.host.cycle->spaces().survivor[0].set_limit(32 * KiB);
  for (u32 i = 0; i < 1000; i++) heap.root(heap.leaf(64));
  heap.young();
  u64 survivors = 0, old = 0;
  for (usize i = 0; i < 1000; i++) (heap.role(heap.at(i)) == Role::survivor ? survivors : old)++;
  EXPECT_GT(survivors, 400u);
  EXPECT_GT(old, 400u);
  EXPECT_EQ(heap.last().kind, Kind::young1) << "an overflow is no failed promotion";
}

} // namespace
} // namespace garner::test
