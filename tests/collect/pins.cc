// Pins: a pinned object stays where it is while its neighbours leave, its region is kept and swept, and its age is its region's.
#include <map>

#include "small_heap.h"

namespace garner::test {
namespace {

TEST(Pins, NeighboursLeaveAndTheRestOfTheRegionIsUsedAgain) {
  SmallHeap heap("poison=on");
  for (u32 i = 0; i < 400; i++) {
    Ref ref = heap.leaf(96);
    heap.root(ref, i % 50 == 25 ? RootKind::pinned : RootKind::exact);
  }
  std::vector<word> before;
  for (auto& cell : heap.mutator.cells) before.push_back(cell.value);
  heap.young();
  u32 region = heap.heap().index_of({before[25]});
  for (u32 i = 0; i < 400; i++) {
    EXPECT_EQ(heap.at(i).at == before[i], i % 50 == 25);
    EXPECT_EQ(heap.role(heap.at(i)), i % 50 == 25 ? Role::eden : Role::survivor);
  }
  EXPECT_EQ(heap.last().pinned, 8u);
  EXPECT_EQ(heap.heap().region(region).role, Role::eden);
  bool reused = false;
  for (u32 i = 0; i < 400 && !reused; i++) reused = heap.heap().index_of(heap.leaf(96)) == region;
  EXPECT_TRUE(reused) << "the holes beside a pinned object are lost";
}

TEST(Pins, ASurvivorsRegionIsPromotedWithItsPins) {
  SmallHeap heap;
  usize exact = heap.root(heap.node(1));
  heap.young();
  usize pinned = heap.root(heap.at(exact), RootKind::pinned);
  word at = heap.at(exact).at;
  usize young = heap.root(heap.leaf());
  heap.set(heap.at(exact), 0, heap.at(young));
  heap.young();
  EXPECT_EQ(heap.at(pinned).at, at);
  EXPECT_EQ(heap.role({at}), Role::old);
  EXPECT_EQ(heap.generation({at}), 2u);
  // What it holds is younger now: its card remembers that, and the next collection finds it through the card alone.
  heap.mutator.cells.truncate(pinned);
  EXPECT_EQ(heap.generation(heap.get(heap.at(exact), 0)), 1u);
  EXPECT_NE(heap.card(synthetic::slot_at(heap.at(exact), 0)), 0);
  u32 id = heap.id(heap.get(heap.at(exact), 0));
  heap.young();
  EXPECT_EQ(heap.id(heap.get(heap.at(exact), 0)), id);
}

// Many pins that stay leave eden: they are not looked at by young collections for ever. What they refer to is found all the same.
TEST(Pins, ManyThatStayGrowOld) {
  for (u32 many : {400u, 40u}) {
    SmallHeap heap("verify=both");
    for (u32 i = 0; i < 400; i++) heap.root(heap.node(1), i < many ? RootKind::pinned : RootKind::exact);
    const u32 of_one_region = u32(heap.heap().region_bytes()) / 1024;
    ASSERT_GT(400u, of_one_region);
    ASSERT_LT(40u, of_one_region);
    const word at = heap.at(0).at;
    const bool ages = many >= of_one_region;
    for (u32 collection = 1; collection <= 5; collection++) {
      usize young = heap.root(heap.leaf());
      const u32 id = heap.id(heap.at(young));
      heap.set(heap.at(0), 0, heap.at(young));
      heap.mutator.cells.truncate(400);
      heap.young();
      EXPECT_EQ(heap.at(0).at, at);
      EXPECT_EQ(heap.id(heap.get(heap.at(0), 0)), id) << collection;
      EXPECT_EQ(heap.role({at}), !ages || collection < 3 ? Role::eden : collection == 3 ? Role::survivor : Role::old) << many << " pins, collection " << collection;
      EXPECT_EQ(heap.last().pinned, ages && collection == 5 ? 0u : many);
      if (collection < 3) continue;
      heap.collect(Kind::young0, true); // of eden alone
      EXPECT_EQ(heap.id(heap.get(heap.at(0), 0)), id) << "found by its card";
    }
    heap.full();
    EXPECT_EQ(heap.at(0).at, at);
  }
}

// Regions that pins keep go back to eden with all that lives in them where a quarter of them is empty, and that is much in all: eden would have no room else. Fuller ones grow old.
TEST(Pins, OfRegionsThatAreAQuarterEmptyEdenHasTheRest) {
  for (u32 tenths : {6u, 9u}) {
    SyntheticShape shape = SmallHeap::roomy();
    shape.limit = 32 * MiB;
    SmallHeap heap("verify=both", shape);
    std::vector<usize> pinned;
    for (u32 i = 0; i < 6 * 1024; i++) {
      const Ref ref = heap.leaf(1000);
      if (i % 64 == 0) pinned.push_back(heap.root(ref, RootKind::pinned)); // one in each region, or two
      else if (i % 10 < tenths) heap.root(ref);
    }
    heap.full();
    for (usize cell : pinned) ASSERT_EQ(heap.role(heap.at(cell)), tenths == 6 ? Role::eden : Role::survivor) << tenths << " tenths live";
  }
}

// As many pins as workers put back and sweep together: what is between them becomes holes, all of it and nothing else, whoever did it.
TEST(Pins, ManyAreSharedByWorkers) {
  for (const char* options : {"workers=1", "workers=3,woken_per=0"})
    for (u32 every : {2u, 5u, 16u}) { // 4500 pins, 1800, 562: above what is shared
      SmallHeap heap(std::string("poison=on,verify=both,tlab=1k,") + options);
      constexpr u32 kMany = 9000;
      std::vector<u32> ids;
      std::vector<word> before;
      for (u32 i = 0; i < kMany; i++) {
        Ref ref = i % 3 == 0 ? heap.node(2) : heap.leaf(32 + i % 40 * 8);
        ids.push_back(heap.id(ref));
        before.push_back(ref.at);
        heap.root(ref, i % every == 0 ? RootKind::pinned : RootKind::exact);
      }
      heap.young();
      EXPECT_EQ(heap.last().pinned, (kMany + every - 1) / every);
      std::map<word, word> kept; // blocks of pins
      for (u32 i = 0; i < kMany; i++) {
        EXPECT_EQ(heap.at(i).at == before[i], i % every == 0) << i;
        ASSERT_EQ(heap.id(heap.at(i)), ids[i]);
        if (i % every == 0) kept[block_of(heap.at(i))] = block_of(heap.at(i)) + heap.host.size(heap.at(i));
      }
      usize holes = 0;
      auto& eden = heap.host.cycle->spaces().eden;
      heap.heap().each_region([&](u32 index, auto& r) {
        if (r.role != Role::eden) return;
        word at = heap.heap().begin_of(index);
        auto count = [&](word end) { holes += end - at >= Space<Linux>::kLeastHole ? end - at : 0; };
        for (auto it = kept.lower_bound(at); it != kept.end() && it->first < heap.heap().end_of(index); ++it) count(it->first), at = it->second;
        count(heap.heap().end_of(index));
        EXPECT_FALSE(heap.heap().marks().is_marked(heap.heap().begin_of(index)));
      });
      EXPECT_EQ(eden.hole_bytes(), holes) << options << ", each " << every;
      EXPECT_GT(holes, 0u);
      for (u32 i = 0; i < 3 * kMany; i++) { // into the holes
        Ref ref = heap.leaf(96);
        auto next = kept.lower_bound(block_of(ref));
        ASSERT_TRUE(next == kept.end() || next->first >= block_of(ref) + 96);
        ASSERT_TRUE(next == kept.begin() || std::prev(next)->second <= block_of(ref));
      }
      std::map<u32, word> survivors; // that are pinned now
      for (u32 i = 1; i < kMany; i += 7)
        if (i % every != 0) survivors[i] = heap.at(i).at, heap.root(heap.at(i), RootKind::pinned);
      heap.young();
      for (u32 i = 0; i < kMany; i++) ASSERT_EQ(heap.id(heap.at(i)), ids[i]);
      for (auto [i, at] : survivors) {
        ASSERT_EQ(heap.at(i).at, at);
        ASSERT_EQ(heap.role({at}), Role::old) << "with its region";
      }
      heap.full();
      for (u32 i = 0; i < kMany; i++) ASSERT_EQ(heap.id(heap.at(i)), ids[i]);
    }
}

// A window of pins that slides: each leaves a part of a region that is nearly empty to old space, where next to nothing is promoted into it.
TEST(Pins, WhatGrowsOldWithThemIsBounded) {
  SyntheticShape shape = SmallHeap::roomy();
  shape.limit = 32 * MiB;
  SmallHeap heap("verify=off", shape);
  const u32 window = 6, pins = 128; // collections that a pin lives for, and new ones before each
  for (u32 i = 0; i < window * pins; i++) heap.root(heap.leaf(), RootKind::pinned);
  u32 most = 0;
  for (u32 round = 0; round < 600; round++) {
    for (u32 i = 0; i < pins; i++) {
      for (u32 k = 0; k < 16; k++) heap.leaf();
      heap.root(heap.leaf(), RootKind::pinned);
      heap.let_go(round % window * pins + i);
    }
    heap.young();
    u32 old = 0;
    heap.heap().each_region([&](u32, auto& r) { old += r.role == Role::old || r.role == Role::survivor; });
    most = std::max(most, old);
  }
  EXPECT_GT(most, 4u) << "nothing grew old";
  EXPECT_LE(most * heap.heap().region_bytes(), 5 * MiB) << "a 32nd of the limit in holes, and what buffers took of them, which pacing counts; without a bound 13 MB";
}

// Pins everywhere, of which some go at each collection and others come: regions become free, although there is room enough in holes.
TEST(Pins, TheEmptiestRegionsDrain) {
  SyntheticShape shape;
  shape.limit = 4 * MiB;
  shape.eden_min = 64 * KiB;
  SmallHeap heap("verify=off", shape);
  Random random(5);
  const u32 pins = 4500;
  for (u32 i = 0; i < pins; i++) heap.root(heap.leaf(random.below(50) * kWordBytes + 64), RootKind::pinned);
  u32 with_free = 0, collections = 0;
  for (u32 round = 0; round < 60'000; round++) {
    const u64 before = heap.host.cycle->count();
    for (u32 k = 0; k < 3; k++) ASSERT_NE(heap.leaf(random.below(50) * kWordBytes + 64).at, 0u);
    Ref pin = heap.leaf(random.below(50) * kWordBytes + 64);
    ASSERT_NE(pin.at, 0u);
    heap.root(pin, RootKind::pinned);
    heap.let_go(random.below(pins));
    if (heap.host.cycle->count() == before || round < 10'000) continue;
    collections++;
    with_free += heap.heap().budget().room() + heap.heap().free_charged() >= heap.heap().region_bytes();
  }
  EXPECT_GT(collections, 20u);
  EXPECT_EQ(with_free, collections) << "without resting holes none";
}

// Reported unpinned first, and pinned later by another worker: it must not have moved in between.
TEST(Pins, LatePinsCount) {
  for (u64 seed = 1; seed <= 40; seed++) {
    SimConfig config;
    config.picker = sim::Picker::seeded;
    config.seed = seed;
    Sim machine(config);
    synthetic::Manners manners;
    manners.late_pins = manners.slow_gather = true;
    struct Run {
      Sim& machine;
      synthetic::Manners manners;
      u64 moved = 0, gatherers = 0;
    } run{machine, manners};
    machine.start([](void* arg) {
      Run& all = *static_cast<Run*>(arg);
      SmallHeapOn<Sim> heap(all.machine, "workers=4,woken_per=0,root_batch=1", SmallHeapOn<Sim>::roomy(), all.manners);
      for (u32 i = 0; i < 60; i++) heap.root(heap.node(1), i % 3 == 0 ? RootKind::pinned : RootKind::exact);
      for (Kind kind : {Kind::young1, Kind::young1, Kind::full}) {
        std::vector<word> before;
        for (auto& cell : heap.mutator.cells) before.push_back(cell.value);
        heap.collect(kind, true);
        for (usize i = 0; i < before.size(); i += 3) all.moved += heap.id({before[i]}) != heap.mutator.cells[i].tag || heap.role({before[i]}) == Role::free;
      }
    }, &run);
    ASSERT_EQ(machine.run().end, sim::End::finished);
    ASSERT_EQ(run.moved, 0u) << "seed " << seed;
  }
}

TEST(Pins, PinnedHandlesPinAndLetGo) {
  SmallHeap heap;
  Handle handle = heap.host.table.create(heap.host.owner, HandleKind::pinned, heap.leaf(), 0);
  word at = *handle;
  for (Kind kind : {Kind::young0, Kind::young1, Kind::full, Kind::young1}) {
    heap.collect(kind, true);
    EXPECT_EQ(*handle, at);
  }
  EXPECT_EQ(heap.objects(), 1u);
  heap.host.table.destroy(handle);
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
}

// Lists of roots and pins that were long once are no part of the heap's limit for ever, and those that are needed again and again are not made anew each time.
TEST(Pins, WhatABurstTookForListsIsGivenBack) {
  constexpr u32 kMany = 200'000, kSome = 20'000, kFades = 40;
  for (Kind kind : {Kind::young1, Kind::full})
    for (RootKind how : {RootKind::pinned, RootKind::exact}) {
      SyntheticShape shape = SmallHeap::roomy();
      shape.eden = shape.eden_min = shape.eden_max = 32 * MiB;
      SmallHeap heap("verify=off", shape);
      auto roots = [&](u32 many) {
        for (u32 i = 0; i < many; i++) heap.root(heap.leaf(), how);
      };
      roots(kMany);
      heap.drop_roots();
      for (u32 i = 0; i < kFades; i++) heap.collect(kind);
      const usize before = list_bytes(); // the test's own cells among them
      roots(kMany);
      heap.collect(kind);
      EXPECT_GT(list_bytes(), before + 3 * MiB) << "the case";
      heap.drop_roots();
      for (u32 i = 0; i < kFades; i++) heap.collect(kind);
      EXPECT_LE(list_bytes(), before + MiB);
      roots(kSome);
      heap.collect(kind);
      const usize kept = list_bytes();
      heap.collect(kind);
      EXPECT_NEAR(list_bytes(), kept, 16 * KiB) << "as many as before";
      const usize cells = heap.mutator.cells.size();
      heap.mutator.cells.truncate(0);
      heap.collect(kind);
      EXPECT_EQ(cells, kSome);
      EXPECT_NEAR(list_bytes(), kept, 16 * KiB) << "one collection with few says nothing of the next";
    }
}

} // namespace
} // namespace garner::test
