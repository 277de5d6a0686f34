// N13: a full collection slides what lives into the holes: order kept, holes gone, every reference updated; pinned and large objects stay
// where they are, and so do regions that are dense enough. With compact_into=fresh what lives leaves its regions, as far as memory goes.
#include <map>
#include <set>

#include "small_heap.h"

namespace garner::test {
namespace {

// A heap whose objects are old, in address order, every third of them dead.
struct Old {
  explicit Old(SmallHeap& heap, u32 count, u32 live_one_in) {
    for (u32 i = 0; i < count; i++) heap.root(heap.node(2, 8 * (i % 7)));
    heap.collect(Kind::full, true); // full_promotes=all: old now
    auto& cells = heap.mutator.cells;
    for (u32 i = 0; i < count; i++) {
      heap.set(heap.at(i), 0, heap.at((i * 7919) % count));
      heap.set(heap.at(i), 1, heap.at((i + live_one_in) % count));
    }
    usize kept = 0;
    for (u32 i = 0; i < count; i++)
      if (i % live_one_in == 0) cells[kept++] = cells[i];
    cells.truncate(kept);
    for (usize i = 0; i < kept; i++) heap.set(heap.at(i), 0, heap.at((i * 31) % kept)); // dead ones are reachable no more
  }
};

std::vector<u32> order(SmallHeap& heap) {
  std::vector<u32> ids;
  heap.each_object([&](Ref ref) {
    if (!heap.host.filler(ref)) ids.push_back(heap.id(ref));
  });
  return ids;
}

class CompactionSlides : public ::testing::TestWithParam<const char*> {};

TEST_P(CompactionSlides, N13OrderIsKeptHolesAreGoneAndReferencesFollow) {
  SmallHeap heap(std::string("full_promotes=all,compact_dense=101,") + GetParam());
  Old old(heap, 21'000, 3);
  std::vector<u32> before;
  std::map<u32, bool> live;
  for (auto& cell : heap.mutator.cells) live[cell.tag] = true;
  for (u32 id : order(heap))
    if (live.count(id)) before.push_back(id);
  heap.full();
  EXPECT_EQ(order(heap), before);
  EXPECT_TRUE(heap.last().compacted);
  u64 bytes = 0, used = 0, regions = 0;
  heap.each_object([&](Ref ref) { bytes += heap.host.filler(ref) ? 0 : heap.host.size(ref); });
  heap.heap().each_region([&](u32 index, auto& r) {
    used += r.top.load_relaxed() - heap.heap().begin_of(index);
    regions++;
  });
  // All that may be lost is the end of each region (no object fits) and of each list (one region, most of it a hole for later).
  u64 lists = 2 * u64(heap.host.cycle->gang().workers());
  EXPECT_LE(regions, bytes / (64 * KiB - 512) + 1 + lists);
  EXPECT_LE(used, bytes + regions * 1024 + lists * 64 * KiB);
  usize n = heap.mutator.cells.size();
  for (usize i = 0; i < n; i++) {
    ASSERT_EQ(heap.get(heap.at(i), 0).at, heap.at((i * 31) % n).at);
    ASSERT_EQ(heap.id(heap.at(i)), heap.mutator.cells[i].tag);
    ASSERT_TRUE(synthetic::intact(heap.at(i)));
  }
}
INSTANTIATE_TEST_SUITE_P(Workers, CompactionSlides, ::testing::Values("workers=1", "workers=2,woken_per=0", "workers=4,woken_per=0"));

// -1: no limit; else the fresh regions that there is memory for.
class CompactionEvacuates : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(CompactionEvacuates, N13IntoFreshRegionsAndWhereTheyEndIntoItsOwn) {
  const auto [fresh, options] = GetParam();
  SmallHeap heap(std::string("full_promotes=all,compact_dense=101,compact_into=fresh,") + options);
  Old old(heap, 63'000, 3);
  std::set<u32> before;
  std::map<u32, word> was;
  for (auto& cell : heap.mutator.cells) before.insert(heap.heap().index_at(cell.value)), was[cell.tag] = cell.value;
  heap.heap().trim(0); // so that each region is asked of the budget
  if (fresh >= 0) {
    const u64 charged = heap.heap().budget().charged() + u64(fresh) * 64 * KiB;
    heap.host.cycle->set_limit(heap.heap().budget().with_tables(charged) + heap.heap().budget().committed() - heap.heap().budget().with_tables(heap.heap().budget().charged()));
  }
  const usize n = heap.mutator.cells.size(), regions = before.size();
  heap.full();
  EXPECT_TRUE(heap.last().compacted);
  std::set<u32> after, into;
  for (usize i = 0; i < n; i++) {
    const Ref ref = heap.at(i);
    ASSERT_EQ(heap.get(ref, 0).at, heap.at((i * 31) % n).at);
    ASSERT_EQ(heap.id(ref), heap.mutator.cells[i].tag);
    ASSERT_TRUE(synthetic::intact(ref));
    after.insert(heap.heap().index_at(ref.at));
    if (before.count(heap.heap().index_at(ref.at)) == 0) into.insert(heap.heap().index_at(ref.at));
  }
  const u64 lists = 2 * u64(heap.host.cycle->gang().workers());
  EXPECT_GE(regions, 40u);
  EXPECT_LE(after.size(), regions / 3 + 2 * lists + 1) << "holes are left";
  if (fresh < 0) EXPECT_EQ(into.size(), after.size()) << "something stayed where there was room to leave";
  else EXPECT_LE(into.size(), u64(fresh));
  if (fresh > 0) EXPECT_GE(into.size(), u64(fresh)) << "memory was left, and not used";
  u64 used = 0;
  heap.heap().each_region([&](u32, auto&) { used++; });
  EXPECT_LE(used, after.size() + 1) << "emptied regions are free";
}
INSTANTIATE_TEST_SUITE_P(Memory, CompactionEvacuates,
                         ::testing::Combine(::testing::Values(-1, 0, 1, 3, 7), ::testing::Values("workers=1", "workers=2,woken_per=0", "workers=4,woken_per=0,poison=on")));

TEST(CompactionSlides, N13PinnedAndLargeObjectsStay) {
  SmallHeap heap("full_promotes=all,compact_dense=101");
  Old old(heap, 6000, 4);
  usize pinned = heap.root(heap.at(700), RootKind::pinned), inside = heap.root(heap.at(900), RootKind::pinned_interior, 24), large = heap.root(heap.array(9000));
  Ref pinned_heap = heap.make(synthetic::make_type(synthetic::Shape::plain, 0, 1, 64), true);
  usize poh = heap.root(pinned_heap);
  heap.set(heap.at(large), 17, heap.at(3));
  word at[] = {heap.at(pinned).at, heap.at(inside).at, heap.at(large).at, pinned_heap.at};
  heap.full();
  EXPECT_EQ(heap.at(pinned).at, at[0]);
  EXPECT_EQ(heap.at(inside).at, at[1]);
  EXPECT_EQ(heap.at(large).at, at[2]);
  EXPECT_EQ(heap.at(poh).at, at[3]);
  EXPECT_EQ(heap.at(700).at, at[0]) << "the other root of a pinned object";
  EXPECT_EQ(heap.get(heap.at(large), 17).at, heap.at(3).at);
  EXPECT_EQ(heap.id(heap.at(pinned)), heap.mutator.cells[pinned].tag);
  EXPECT_GT(heap.last().pinned, 1u);
}

TEST(CompactionSlides, N13DenseRegionsStayAndThinOnesMove) {
  SmallHeap heap("full_promotes=all,compact_dense=80");
  for (u32 i = 0; i < 12'000; i++) heap.root(heap.leaf(64));
  heap.full();
  // The first half of the regions loses every second object, the other half one in twenty.
  auto& cells = heap.mutator.cells;
  std::map<u32, word> dense;
  word middle = heap.at(6000).at & ~word(64 * KiB - 1);
  usize kept = 0;
  for (usize i = 0; i < cells.size(); i++) {
    bool thin = cells[i].value < middle;
    if (thin ? i % 2 == 0 : i % 20 == 0) continue;
    if (!thin && cells[i].value < (heap.at(11'999).at & ~word(64 * KiB - 1))) dense[cells[i].tag] = cells[i].value;
    cells[kept++] = cells[i];
  }
  cells.truncate(kept);
  heap.full(false);
  EXPECT_GT(dense.size(), 3000u);
  u64 moved = 0;
  for (auto& cell : cells) {
    if (auto it = dense.find(cell.tag); it != dense.end()) ASSERT_EQ(cell.value, it->second) << "a dense region was compacted";
    else moved++;
  }
  EXPECT_TRUE(heap.last().compacted);
  // Its holes are fillers that can be allocated from.
  u64 fillers = 0;
  heap.each_object([&](Ref ref) { fillers += heap.host.filler(ref); });
  EXPECT_GT(fillers, 100u);
}

TEST(CompactionSlides, N13YoungObjectsAgeOrBecomeOld) {
  for (bool all : {false, true}) {
    SmallHeap heap(all ? "full_promotes=all" : "full_promotes=aged");
    usize eden = heap.root(heap.leaf());
    heap.young();
    usize newer = heap.root(heap.leaf());
    heap.full();
    EXPECT_EQ(heap.generation(heap.at(eden)), 2u);
    EXPECT_EQ(heap.generation(heap.at(newer)), all ? 2u : 1u);
  }
}

TEST(CompactionSlides, N13MemoryGoesBackToTheSystem) {
  SmallHeap heap("full_promotes=all");
  for (u32 i = 0; i < 10'000; i++) heap.root(heap.leaf(256));
  heap.full();
  u64 before = heap.heap().budget().charged();
  heap.mutator.cells.truncate(10);
  heap.collect(Kind::full, true, true);
  EXPECT_GT(before, 2 * MiB);
  EXPECT_LE(heap.heap().budget().charged(), 2 * 64 * KiB);
}

} // namespace
} // namespace garner::test
