// Incremental compaction after a marking beside the program (collect/concurrent/moving.h): what lives in mostly empty regions moves out of them, by and by, with every
// reference to it, and the regions come free; what is pinned stays. tests/collect/marking_traps.cc plays it against a program that changes everything meanwhile.
#include <map>

#include "small_heap.h"

namespace garner::test {
namespace {

// Old objects of 1,000 bytes, of which one in ten lives, and a marking that has just ended.
struct Sparse {
  static constexpr u32 kAll = 2000, kKept = kAll / 10;
  explicit Sparse(const std::string& options = "", u64 limit = 0) : heap(machine, "marking=concurrent,moved_at_once=64k,tenure_age=0,tenure=fixed," + options, limited(limit)) {
    for (u32 i = 0; i < kAll; i++) {
      Ref object = heap.node(2, 1000);
      heap.root(object);
    }
    heap.young(); // old from here on
    for (u32 i = 0; i < kKept; i++) heap.mutator.cells[i] = heap.mutator.cells[i * 10];
    heap.mutator.cells.truncate(kKept);
    for (u32 i = 0; i < kKept; i++) heap.set(heap.at(i), 0, heap.at((i * 7 + 1) % kKept));
  }
  static SyntheticShape limited(u64 limit) {
    SyntheticShape shape = SmallHeapOn<Linux>::roomy();
    shape.limit = limit;
    return shape;
  }
  Collector& cycle() { return *heap.host.cycle; }
  void collect(bool begin) {
    Request request;
    request.kind = Kind::young1;
    request.cause = Cause::stress;
    request.begin_marking = begin;
    heap.mutator.collect(heap.self, request);
  }
  void mark() {
    collect(true);
    heap.rested(Awaits::last_pause);
    collect(false);
    ASSERT_TRUE(heap.host.cycle->ended_marking());
  }
  // Collections until one has moved something; how much. 0: nothing is left to move.
  u64 move() {
    while (heap.host.cycle->moving()) {
      heap.rested(Awaits::portion);
      collect(false);
      if (u64 moved = heap.last().moved; moved != 0) return moved;
    }
    return 0;
  }
  u32 regions() {
    u32 n = 0;
    heap.heap().each_region([&](u32, auto& r) { n += r.role == Role::old; });
    return n;
  }
  void expect_linked() {
    for (u32 i = 0; i < kKept; i++) ASSERT_EQ(heap.get(heap.at(i), 0), heap.at((i * 7 + 1) % kKept)) << i;
  }
  Linux machine;
  SmallHeapOn<Linux> heap;
};

TEST(Moving, N13SparseRegionsAreEmptiedByAndBy) {
  Sparse s;
  std::map<u32, word> before;
  for (u32 i = 0; i < s.kKept; i++) before[s.heap.id(s.heap.at(i))] = s.heap.at(i).at;
  s.mark();
  const u32 had = s.regions();
  u64 moved = 0;
  u32 portions = 0;
  while (u64 bytes = moved < 150'000 ? s.move() : 0) {
    EXPECT_LE(bytes, 64 * KiB + 32 * KiB) << "a portion, and what of the last region is beyond it";
    moved += bytes;
    portions++;
    s.expect_linked();
  }
  EXPECT_GE(portions, 3u);
  EXPECT_LT(s.regions(), had / 3);
  u32 elsewhere = 0;
  for (u32 i = 0; i < s.kKept; i++) elsewhere += before.at(s.heap.id(s.heap.at(i))) != s.heap.at(i).at;
  EXPECT_GT(elsewhere, s.kKept / 2);
  s.heap.full();
  s.expect_linked();
}

// A portion reads what was written since the one before, so it moves as many groups as take about as long.
TEST(Moving, APortionMovesAsMuchAsItHasToRead) {
  Sparse s;
  s.mark();
  u64 moved = 0;
  u32 portions = 0;
  while (s.heap.host.cycle->moving()) {
    s.heap.rested(Awaits::portion);
    for (u32 i = 0; i < s.kKept; i++) s.heap.set(s.heap.at(i), 1, s.heap.at(i)); // a page each, nearly
    const u64 bytes = s.move();
    moved += bytes;
    portions += bytes != 0;
    s.expect_linked();
  }
  EXPECT_GT(moved, 150'000u);
  EXPECT_LE(portions, 3u) << "one group of 64 KB each would be four at least";
}

// What is young may be promoted where it lies beside a portion, and refers to what has moved.
TEST(Moving, N1WhatIsYoungBecomesOldWhereItLiesBesideAPortion) {
  Sparse s("en_masse=mostly");
  s.mark();
  u32 both = 0;
  for (u64 moved = 0; moved < 150'000;) {
    const usize cell = s.heap.root(s.heap.node(s.kKept));
    for (u32 i = 0; i < s.kKept; i++) s.heap.set(s.heap.at(cell), i, s.heap.at(i)), s.heap.set(s.heap.at(i), 1, s.heap.at(cell));
    const u64 bytes = s.move();
    ASSERT_NE(bytes, 0u);
    moved += bytes;
    both += s.heap.last().en_masse;
    for (u32 i = 0; i < s.kKept; i++) ASSERT_EQ(s.heap.get(s.heap.at(cell), i), s.heap.at(i)) << i;
    for (u32 i = 0; i < s.kKept; i++) ASSERT_EQ(s.heap.get(s.heap.at(i), 1), s.heap.at(cell)) << i;
  }
  EXPECT_GT(both, 0u);
  s.expect_linked();
}

// What the thread asks for when no collection comes: each of the two in its time, and nothing for which it is too early or too late.
TEST(Moving, WhatIsAskedForIsWhatIsWanting) {
  Sparse s;
  auto ask = [&](Cause cause) {
    Request request;
    request.cause = cause;
    request.may_widen = false;
    const u64 before = s.cycle().count();
    s.heap.mutator.collect(s.heap.self, request);
    return s.cycle().count() != before;
  };
  EXPECT_FALSE(ask(Cause::moves)) << "nothing has been marked";
  s.collect(true);
  s.heap.rested(Awaits::last_pause);
  EXPECT_FALSE(ask(Cause::moves)) << "what is wanting is the last pause";
  EXPECT_TRUE(ask(Cause::marked));
  u64 moved = 0;
  for (u32 steps = 0; s.heap.host.cycle->moving(); steps++) {
    ASSERT_LT(steps, 20u);
    s.heap.rested(Awaits::portion);
    EXPECT_FALSE(ask(Cause::marked)) << "that has come";
    ASSERT_TRUE(ask(Cause::moves));
    moved += s.heap.last().moved;
  }
  EXPECT_GT(moved, 150'000u);
  EXPECT_EQ(s.heap.host.cycle->awaits(), Awaits::nothing);
  EXPECT_FALSE(ask(Cause::moves)) << "all have moved";
  s.expect_linked();
}

TEST(Moving, N13WhateverRefersToWhatMovesFollowsIt) {
  Sparse s("workers=2,woken_per=0");
  auto& table = s.heap.host.table;
  std::map<Handle, u32> handles;
  for (u32 i = 0; i < s.kKept; i++)
    for (HandleKind kind : {HandleKind::strong, HandleKind::weak_short, HandleKind::weak_long})
      if (i % 3 == u32(kind) % 3) handles[table.create(s.heap.host.owner, kind, s.heap.at(i), 0)] = s.heap.id(s.heap.at(i));
  std::vector<usize> inside;
  for (u32 i = 0; i < s.kKept; i += 5) inside.push_back(s.heap.root(s.heap.at(i), RootKind::interior, 16));
  s.mark();
  Ref young = s.heap.node(s.kKept); // of these the thread knows nothing
  const usize cell = s.heap.root(young);
  for (u32 i = 0; i < s.kKept; i++) s.heap.set(s.heap.at(cell), i, s.heap.at(i));
  for (u64 moved = 0; moved < 100'000;) {
    const u64 bytes = s.move();
    ASSERT_NE(bytes, 0u);
    moved += bytes;
    for (u32 i = 0; i < s.kKept; i++) s.heap.set(s.heap.at(i), 1, s.heap.at(s.kKept - 1 - i)); // written pages
  }
  s.expect_linked();
  for (u32 i = 0; i < s.kKept; i++) ASSERT_EQ(s.heap.get(s.heap.at(i), 1), s.heap.at(s.kKept - 1 - i)) << i;
  for (u32 i = 0; i < s.kKept; i++) ASSERT_EQ(s.heap.get(s.heap.at(cell), i), s.heap.at(i)) << i;
  for (auto& [handle, id] : handles) ASSERT_EQ(s.heap.id(Ref{load_word(word(handle))}), id);
  for (usize i = 0; i < inside.size(); i++) ASSERT_EQ(s.heap.at(inside[i]), s.heap.at(u32(5 * i)));
}

TEST(Moving, WhatIsPinnedStays) {
  Sparse s;
  std::map<u32, word> pinned;
  std::vector<Handle> pins;
  for (u32 i = 0; i < s.kKept; i += 20) {
    pinned[i] = s.heap.at(i).at;
    if (i % 40 == 0) s.heap.mutator.cells[i].kind = RootKind::pinned;
    else pins.push_back(s.heap.host.table.create(s.heap.host.owner, HandleKind::pinned, s.heap.at(i), 0));
  }
  s.mark();
  for (u64 moved = 0; moved < 100'000;) {
    const u64 bytes = s.move();
    ASSERT_NE(bytes, 0u);
    moved += bytes;
    for (auto& [i, at] : pinned) ASSERT_EQ(s.heap.at(i).at, at);
  }
  s.expect_linked();
}

// Groups go one after the other: a slot in what goes late refers to what goes soon, one in what goes soon to what goes late, and either may turn out to stay.
TEST(Moving, N13GroupsGoInTurnWhateverRefersToWhatAndStays) {
  u32 portions = 0, pins = 0;
  for (u64 seed = 0; seed < 40; seed++) {
    Random random(seed);
    Sparse s("moved_at_once=16k");
    std::map<u32, u32> to[2];
    auto link = [&](u32 i, u32 slot) {
      to[slot][i] = u32(random.below(s.kKept));
      s.heap.set(s.heap.at(i), slot, s.heap.at(to[slot][i]));
    };
    for (u32 i = 0; i < s.kKept; i++) link(i, 0), link(i, 1);
    s.mark();
    std::map<u32, word> pinned;
    while (s.heap.host.cycle->moving()) {
      for (u64 n = random.below(4); n > 0; n--) {
        const u32 i = u32(random.below(s.kKept));
        if (!pinned.count(i)) s.heap.host.table.create(s.heap.host.owner, HandleKind::pinned, s.heap.at(i), 0), pinned[i] = s.heap.at(i).at;
      }
      for (u64 n = random.below(4); n > 0; n--) link(u32(random.below(s.kKept)), u32(random.below(2)));
      portions += s.move() != 0;
      for (u32 slot : {0u, 1u})
        for (auto [i, target] : to[slot]) ASSERT_EQ(s.heap.get(s.heap.at(i), slot), s.heap.at(target)) << "seed " << seed << ", " << i;
      for (auto [i, at] : pinned) ASSERT_EQ(s.heap.at(i).at, at) << "seed " << seed;
    }
    pins += u32(pinned.size());
  }
  EXPECT_GT(portions, 4u * 40);
  EXPECT_GT(pins, 3u * 40);
}

TEST(Moving, WhatIsLeftStaysWhenAnotherMarkingBeginsOrAFullCollectionComes) {
  Sparse s;
  for (u32 round = 0; round < 6; round++) {
    s.mark();
    if (round != 0) ASSERT_NE(s.move(), 0u) << round;
    if (round % 3 == 2) s.heap.full(false);
    s.expect_linked();
    for (u32 i = 0; i < 2000; i++) s.heap.root(s.heap.leaf(500)); // sparse again
    s.heap.young();
    for (u32 i = s.kKept; i < s.kKept + 2000; i += 20) s.heap.set(s.heap.at(i % s.kKept), 1, s.heap.at(i));
    s.heap.mutator.cells.truncate(s.kKept);
  }
}

// Another marking is due before all has moved: without a limit that waits, as the holes of what is to move are nobody's. Under one it does not, and they are given to old space as they are; nor
// does a full collection that stops the program, which leaves none.
TEST(Moving, N13TheNextMarkingWaitsForWhatIsToMove) {
  struct { u64 limit; bool may_mark, waits; } rows[] = {{0, true, true}, {32 * MiB, true, false}, {0, false, false}};
  for (auto [limit, may_mark, waits] : rows) {
    Sparse s("", limit);
    s.mark();
    s.heap.rested(Awaits::portion);
    for (u32 i = 0; i < (limit != 0 ? 4300 : 2300); i++) s.heap.root(s.heap.node(0, 1000));
    s.collect(false); // what was made is old
    ASSERT_TRUE(s.heap.host.cycle->moving()) << limit;
    s.heap.rested(Awaits::portion);
    Request request;
    request.cause = Cause::stress;
    request.may_mark = may_mark;
    s.heap.mutator.collect(s.heap.self, request);
    EXPECT_EQ(s.heap.last().moved != 0, waits);
    EXPECT_EQ(s.heap.host.cycle->begins_marking(), may_mark && !waits);
    EXPECT_EQ(s.heap.last().kind == Kind::full, !may_mark);
    s.expect_linked();
  }
}

TEST(Moving, NothingMovesWhereNoneIsToOrItIsNotWorthIt) {
  Sparse none("moved_at_once=0");
  none.mark();
  for (u32 i = 0; i < 50; i++) none.collect(false);
  EXPECT_EQ(none.heap.last().moved, 0u);
  EXPECT_GT(none.heap.last().fragmented, 1'000'000u) << "holes for whatever grows old";

  Sparse dense;
  dense.heap.full(); // slides together
  dense.mark();
  for (u32 i = 0; i < 50; i++) {
    dense.collect(false);
    ASSERT_EQ(dense.heap.last().moved, 0u);
  }
  EXPECT_FALSE(dense.heap.heap().marking()) << "and nothing is watched for it";
}

} // namespace
} // namespace garner::test
