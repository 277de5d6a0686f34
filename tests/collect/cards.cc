// Cards: a store of a young reference into an old object is found by the next collection; where nothing was stored nothing is scanned.
#include <algorithm>
#include <vector>

#include "small_heap.h"

namespace garner::test {
namespace {

class Cards : public ::testing::Test {
 protected:
  // Old leaves and nodes over several regions.
  explicit Cards(const char* options = "") : heap(options) {
    for (u32 i = 0; i < 3000; i++) heap.root(heap.node(4, 40));
    heap.young();
    heap.young();
    heap.young0(); // cards of the promotion itself are settled
  }
  u64 cards() { return heap.host.cycle->collecting(0).cards; }
  SmallHeap heap;
};

TEST_F(Cards, CleanCardsAreNotScanned) {
  heap.leaf();
  heap.young();
  EXPECT_EQ(cards(), 0u);
  EXPECT_EQ(heap.host.cycle->collecting(0).slots, 0u);
}

TEST_F(Cards, AStoreIsFoundThroughItsCardAlone) {
  for (u32 k = 0; k < 5; k++) {
    Ref holder = heap.at(100 + k * 500);
    ASSERT_EQ(heap.generation(holder), 2u);
    Ref young = heap.node(1);
    u32 id = heap.id(young);
    heap.set(holder, k % 4, young);
    EXPECT_NE(heap.card(synthetic::slot_at(holder, k % 4)), 0);
    heap.young();
    EXPECT_EQ(cards(), 1u);
    EXPECT_EQ(heap.id(heap.get(holder, k % 4)), id);
    EXPECT_EQ(heap.generation(heap.get(holder, k % 4)), 1u);
    EXPECT_NE(heap.card(synthetic::slot_at(holder, k % 4)), 0) << "still younger than its holder";
    heap.young();
    EXPECT_EQ(heap.generation(heap.get(holder, k % 4)), 2u);
    EXPECT_EQ(heap.card(synthetic::slot_at(holder, k % 4)), 0) << "nothing younger is left on this card";
  }
}

TEST_F(Cards, StoresOfOldReferencesAndIntoYoungObjectsMarkNothing) {
  heap.set(heap.at(10), 0, heap.at(20));
  Ref young = heap.node(2);
  heap.set(young, 0, heap.at(30));
  heap.set(young, 1, heap.leaf());
  heap.young();
  EXPECT_EQ(cards(), 0u);
}

TEST_F(Cards, ABulkCopyMarksAllItCoversAndACollectionCleansIt) {
  usize from = heap.root(heap.array(2000)), to = heap.root(heap.array(2000));
  heap.young();
  heap.young(); // both old
  heap.young0();
  Ref young = heap.leaf();
  for (usize i = 0; i < 2000; i += 400) heap.set(heap.at(from), i, young);
  heap.host.write_range(synthetic::slot_at(heap.at(to), 0).at, synthetic::slot_at(heap.at(from), 0).at, 2000);
  u32 id = heap.id(young);
  heap.young();
  for (usize i = 0; i < 2000; i += 400) EXPECT_EQ(heap.id(heap.get(heap.at(to), i)), id);
  u64 dirty = 0;
  for (usize i = 0; i < 2000; i += 256) dirty += heap.card(synthetic::slot_at(heap.at(to), i)) != 0;
  EXPECT_GE(cards(), 8u + 5u);
  EXPECT_LT(dirty, 8u) << "cards without a younger object were not cleaned";
}

TEST_F(Cards, ADeadOldObjectStillKeepsItsYoung) {
  Ref holder = heap.at(50);
  Ref young = heap.leaf();
  Handle weak = heap.host.table.create(heap.host.owner, HandleKind::weak_short, young, 0);
  heap.set(holder, 0, young);
  heap.let_go(50);
  heap.young();
  EXPECT_NE(*weak, 0u) << "young collections take the old for alive";
  heap.full();
  EXPECT_EQ(*weak, 0u);
}

// The object of a type that hangs on a loader has an edge without a slot; its own card remembers it.
TEST_F(Cards, AnEdgeWithoutASlotIsRememberedToo) {
  Ref loader = heap.node(1);
  u32 id = heap.id(loader);
  Handle handle = heap.host.table.create(heap.host.owner, HandleKind::weak_long, loader, 0);
  ASSERT_TRUE(heap.host.loaders.push({handle}));
  usize large = heap.root(heap.make(synthetic::make_type(synthetic::Shape::plain, 0, 0, 40 * KiB), false, 1));
  usize pinned = heap.root(heap.make(synthetic::make_type(synthetic::Shape::plain, 0, 0, 64), true, 1));
  for (Kind kind : {Kind::young0, Kind::young1, Kind::young1, Kind::full, Kind::young1}) {
    heap.collect(kind, true);
    ASSERT_NE(*handle, 0u) << name_of(kind);
    EXPECT_EQ(heap.id({*handle}), id);
    EXPECT_EQ(heap.host.hidden_edge(heap.at(large)).at, *handle);
  }
  heap.let_go(pinned);
  heap.let_go(large);
  heap.full();
  EXPECT_EQ(*handle, 0u);
}

// Two regions of dirty cards and eight workers: each region is handed out in stripes, and every card is scanned once.
TEST(CardStripes, N7WorkersShareFewDirtyRegions) {
  SimConfig config;
  config.cores_per_node = 8;
  on_sim(config, "workers=8,woken_per=0,join=fixed", [](SmallHeapOn<Sim>& heap) {
    constexpr u32 kHolders = 4000;
    for (u32 i = 0; i < kHolders; i++) heap.root(heap.node(4, 40));
    heap.young();
    heap.young();
    for (u32 round = 0; round < 2; round++) { // where objects begin is found in the first: a region at a time
      for (u32 i = 0; i < kHolders; i++) heap.set(heap.at(i), round, heap.leaf());
      u32 dirty = 0;
      heap.heap().each_region([&](u32 index, auto& r) {
        if (r.role != Role::old) return;
        for (word at = heap.heap().begin_of(index); at < r.top.load_relaxed(); at += kCardBytes) dirty += *heap.heap().card_of(at) != 0;
      });
      heap.young();
      u32 sharing = 0, scanned = 0;
      for (u32 w = 0; w < 8; w++) {
        sharing += heap.host.cycle->collecting(w).cards != 0;
        scanned += u32(heap.host.cycle->collecting(w).cards);
      }
      EXPECT_EQ(scanned, dirty);
      if (round == 1) EXPECT_GE(sharing, 5u);
      for (u32 i = 0; i < kHolders; i++) ASSERT_EQ(heap.generation(heap.get(heap.at(i), round)), 1u);
    }
  });
}

// N7: a large heap has many regions with a dirty card or two each. Several are one task, in which a card is asked for long before it is looked at: none may be left on its way, and none
// of a region that holds a large object.
TEST(CardBatches, N7ManyRegionsWithADirtyCardEachAreAllLookedAt) {
  struct Case { u32 workers; const char* options; };
  for (auto [workers, options] : {Case{1, ""}, Case{1, "ahead=0"}, Case{1, "card_phase=apart"}, Case{2, ""}, Case{2, "card_phase=apart"}, Case{2, "scheme=relaxed"}, Case{2, "scheme=aggressive"}}) {
    SCOPED_TRACE(options);
    SmallHeap heap("workers=" + std::to_string(workers) + "," + options);
    constexpr u32 kHolders = 8000, kEvery = 61; // of 1 KiB, so a card of every region is dirty, and two of some
    for (u32 i = 0; i < kHolders; i++) heap.root(heap.node(4, 1000));
    const usize large = heap.root(heap.array(20'000)); // 160 KB
    heap.young();
    heap.young();
    heap.young0();
    ASSERT_EQ(heap.role(heap.at(large)), Role::large);
    std::vector<u32> regions;
    for (u32 i = 0; i < kHolders; i += kEvery) {
      heap.set(heap.at(i), 1, heap.leaf());
      regions.push_back(heap.heap().index_of(heap.at(i)));
    }
    std::sort(regions.begin(), regions.end());
    const u32 many = u32(std::unique(regions.begin(), regions.end()) - regions.begin());
    ASSERT_GE(many, 2 * 8 * workers) << "a region for each task: the test is void";
    heap.set(heap.at(large), 9'999, heap.leaf());
    u32 dirty = 0;
    heap.heap().each_region([&](u32 index, auto& r) {
      const word end = r.role == Role::large ? heap.heap().begin_of(index) + r.object_bytes : r.top.load_relaxed();
      for (word card = heap.heap().begin_of(index); r.role != Role::free && card < end; card += kCardBytes) dirty += *heap.heap().card_of(card) != 0;
    });
    EXPECT_GE(dirty, kHolders / kEvery);
    heap.young();
    u64 found = 0;
    for (u32 w = 0; w < workers; w++) found += heap.host.cycle->collecting(w).cards;
    EXPECT_EQ(found, dirty);
    for (u32 i = 0; i < kHolders; i += kEvery) ASSERT_EQ(heap.generation(heap.get(heap.at(i), 1)), 1u) << i;
    EXPECT_EQ(heap.generation(heap.get(heap.at(large), 9'999)), 1u);
  }
}

} // namespace
} // namespace garner::test
