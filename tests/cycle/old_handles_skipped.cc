// A young collection visits no chunk of handles that holds old objects only, for any kind; and any store makes it look again.
#include "collect/small_heap.h"

namespace garner::test {
namespace {

constexpr HandleKind kKinds[] = {HandleKind::weak_short, HandleKind::weak_long, HandleKind::strong, HandleKind::counted, HandleKind::dependent, HandleKind::sized,
                                 HandleKind::weak_native, HandleKind::weak_interior, HandleKind::variable, HandleKind::cross_reference};

class OldHandles : public ::testing::TestWithParam<HandleKind> {};

// The slot is changed behind the table's back to an object that dies: only a visit could notice.
TEST_P(OldHandles, AreNotVisitedByYoungCollections) {
  SmallHeap heap("verify=off,poison=on");
  usize root = heap.root(heap.leaf());
  Handle handle = heap.host.table.create(heap.host.owner, GetParam(), heap.at(root), 0);
  heap.young();
  heap.young();
  ASSERT_EQ(heap.generation({*handle}), 2u);
  heap.young(); // this one learns that the chunk holds nothing young
  EXPECT_EQ(chunk_of(handle)->youngest.load_relaxed(), 2u);
  word young = heap.leaf().at;
  *handle = young;
  heap.young();
  EXPECT_EQ(*handle, young) << "visited";
  EXPECT_EQ(heap.heap().region_of({young}).role, Role::free);
  heap.host.table.store(handle, heap.leaf());
  heap.young();
  EXPECT_NE(*handle, young);
}
INSTANTIATE_TEST_SUITE_P(Kinds, OldHandles, ::testing::ValuesIn(kKinds));

TEST(OldHandles, PairsAreAsYoungAsTheirYounger) {
  SmallHeap heap;
  usize first = heap.root(heap.leaf());
  heap.young();
  heap.young();
  Handle pair = heap.host.table.create(heap.host.owner, HandleKind::dependent, heap.at(first), 0);
  heap.young();
  EXPECT_EQ(chunk_of(pair)->youngest.load_relaxed(), 2u);
  Ref second = heap.leaf();
  u32 id = heap.id(second);
  heap.host.table.set_extra(pair, second.at);
  for (u32 i = 0; i < 3; i++) {
    heap.young();
    ASSERT_EQ(heap.id({HandleTable::extra(pair)}), id) << "an old key keeps its young value";
  }
}

} // namespace
} // namespace garner::test
