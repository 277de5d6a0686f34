// Promotion en masse: all that is young becomes old where it lies, nothing is lost, nothing moves, and what is dead in it goes with the next full collection.
#include "small_heap.h"

namespace garner::test {
namespace {

// A program that keeps most of what it makes, and an old table that refers to it. `seldom`: one in so many dies at once.
struct Builder {
  SmallHeap heap;
  usize table;
  std::vector<u32> ids;
  u32 unseen = 0, looked = 0;

  explicit Builder(const std::string& options, usize entries = 120'000) : heap("verify=both,resize=fixed," + options, shape()), table(heap.root(heap.array(entries))) {
    heap.young();
    heap.young();
    ids.resize(entries);
  }
  static SyntheticShape shape() {
    SyntheticShape shape = SmallHeap::roomy();
    shape.eden = shape.eden_min = shape.eden_max = 512 * KiB;
    return shape;
  }
  void make(usize from, usize to, u32 seldom) {
    u64 seen = heap.host.cycle->count();
    for (usize i = from; i < to; i++) {
      if (i % seldom == 0) heap.node(3);
      Ref ref = heap.node(2);
      if (heap.host.cycle->count() != seen) {
        seen = heap.host.cycle->count();
        (heap.last().en_masse ? unseen : looked)++;
        if (heap.last().en_masse) expect_nothing_young(ref);
      }
      ids[i] = heap.id(ref);
      heap.set(heap.at(table), i, ref);
      if (i > 0) heap.set(ref, 0, heap.get(heap.at(table), i - 1));
    }
  }
  // But what the collection was for.
  void expect_nothing_young(Ref fresh) {
    EXPECT_EQ(heap.last().copied, 0u);
    EXPECT_EQ(heap.last().kept, heap.last().promoted);
    EXPECT_GE(heap.last().promoted, 400 * KiB);
    EXPECT_LE(heap.host.cycle->sizes().bytes[0], 64 * KiB) << "eden holds more than the buffer that was asked for";
    EXPECT_EQ(heap.host.cycle->sizes().bytes[1], 0u);
    EXPECT_EQ(heap.generation(fresh), 0u);
    auto& h = heap.heap();
    for (u32 i = 0; i < h.high_water(); i++)
      for (word at = h.begin_of(i); at < h.end_of(i); at += kCardBytes) ASSERT_EQ(*h.card_of(at), 0u) << "the next young collection looks where nothing young can be";
  }
  void expect_all() {
    for (usize i = 0; i < ids.size(); i++) {
      Ref ref = heap.get(heap.at(table), i);
      ASSERT_EQ(heap.id(ref), ids[i]) << i;
      if (i > 0) ASSERT_EQ(heap.get(ref, 0).at, heap.get(heap.at(table), i - 1).at) << i;
    }
  }
};

TEST(EnMasse, N1AllThatIsYoungBecomesOldAndNothingIsLost) {
  Builder b("en_masse=mostly");
  b.make(0, b.ids.size(), 10);
  EXPECT_GE(b.unseen, 4u);
  EXPECT_GE(b.looked, 1u);
  b.expect_all();
  b.heap.close_buffers();
  const u64 before = b.heap.objects();
  b.heap.full();
  EXPECT_EQ(b.heap.objects(), b.ids.size() + 1) << "what was promoted dead is still there";
  EXPECT_LT(b.heap.objects(), before);
  b.expect_all();
}

// References from what was promoted to what came later are found, like those of any old object.
TEST(EnMasse, WhatWasPromotedRemembersWhatIsYounger) {
  Builder b("en_masse=mostly");
  b.make(0, 20'000, 1000);
  ASSERT_GE(b.unseen, 1u);
  for (usize i = 0; i < 20'000; i += 7) {
    Ref leaf = b.heap.leaf(64);
    b.ids[i] = b.heap.id(leaf);
    b.heap.set(b.heap.get(b.heap.at(b.table), i), 1, leaf);
  }
  b.heap.young();
  b.heap.young();
  for (usize i = 0; i < 20'000; i += 7) ASSERT_EQ(b.heap.id(b.heap.get(b.heap.get(b.heap.at(b.table), i), 1)), b.ids[i]);
}

TEST(EnMasse, N1WhileNearlyAllSurvivesMostCollectionsDoNotLook) {
  Builder adaptive("en_masse=adaptive"), off("en_masse=off"), dying("en_masse=adaptive");
  adaptive.make(0, adaptive.ids.size(), 1000);
  off.make(0, off.ids.size(), 1000);
  dying.make(0, dying.ids.size(), 1);
  EXPECT_GE(adaptive.unseen, 2u);
  adaptive.expect_all();
  EXPECT_EQ(off.unseen, 0u);
  EXPECT_EQ(dying.unseen, 0u) << "half of eden was dead";
}

// Finalizers, and a collection that was asked for, do not wait for a full one.
TEST(EnMasse, NotWhatWouldHoldSomethingUp) {
  Builder b("en_masse=mostly");
  for (u32 i = 0; i < 100; i++) b.heap.finalizable();
  b.heap.young();
  EXPECT_FALSE(b.heap.last().en_masse);
  EXPECT_EQ(b.heap.host.finalize_queue.ready_count(), 100u);
  std::vector<usize> held;
  for (u32 i = 0; i < 100; i++) held.push_back(b.heap.root(b.heap.finalizable()));
  for (u64 seen = b.heap.host.cycle->count(); b.heap.host.cycle->count() == seen;) b.heap.leaf(256);
  EXPECT_FALSE(b.heap.last().en_masse) << "young objects that are finalized wait for a full collection";
}

// What waits for its finalizer already is neither held up nor forgotten.
TEST(EnMasse, WhatIsReadyToBeFinalizedIsCounted) {
  Builder b("en_masse=mostly");
  for (u32 i = 0; i < 100; i++) b.heap.finalizable();
  b.heap.young();
  ASSERT_EQ(b.heap.last().finalize_pending, 100u);
  b.make(0, 20'000, 1000);
  ASSERT_GE(b.unseen, 1u);
  while (!b.heap.last().en_masse) b.heap.leaf(256);
  EXPECT_EQ(b.heap.last().finalize_pending, 100u);
}

// What was once taken of what is kept back holds up the next collection, not all that follow.
TEST(EnMasse, WhatWasKeptBackAndGivenIsCollectedOnce) {
  Builder b("en_masse=mostly");
  const Range given = b.heap.host.cycle->spaces().last_resort.take(KiB, KiB);
  ASSERT_NE(given.begin, 0u);
  b.heap.host.fill(given.begin, given.bytes());
  for (u64 seen = b.heap.host.cycle->count(); b.heap.host.cycle->count() == seen;) b.heap.leaf(256);
  EXPECT_FALSE(b.heap.last().en_masse);
  b.make(0, 20'000, 1000);
  EXPECT_GE(b.unseen, 1u);
}

// Copies would fill holes of old space; what is promoted where it lies does not.
TEST(EnMasse, NotBesideHolesThatNothingElseFills) {
  for (bool holes : {false, true}) {
    Builder b("en_masse=mostly,compact_dense=10");
    b.make(0, 60'000, 1000);
    b.heap.full(false);
    for (usize run = 0; holes && run + 2000 <= 60'000; run += 2000) { // linked by slot 0 in runs: half of each
      for (usize i = run; i < run + 1000; i++) b.heap.set(b.heap.at(b.table), i, {0});
      b.heap.set(b.heap.get(b.heap.at(b.table), run + 1000), 0, {0});
    }
    b.heap.full(false);
    const usize free = b.heap.host.cycle->spaces().old.hole_bytes();
    b.unseen = b.looked = 0;
    b.make(60'000, 90'000, 1000);
    if (holes) EXPECT_GT(free, MiB);
    if (holes) EXPECT_EQ(b.unseen, 0u);
    else EXPECT_GE(b.unseen, 1u);
    EXPECT_GE(b.unseen + b.looked, 1u);
  }
}

// Holes that are a few percent of old space do not matter.
TEST(EnMasse, BesideFewHoles) {
  Builder b("en_masse=mostly,compact_dense=10");
  b.heap.root(b.heap.array(4'000'000)); // 32 MB
  b.make(0, 60'000, 1000);
  b.heap.full(false);
  for (usize run = 0; run + 4000 <= 60'000; run += 4000) { // a quarter
    for (usize i = run; i < run + 1000; i++) b.heap.set(b.heap.at(b.table), i, {0});
    b.heap.set(b.heap.get(b.heap.at(b.table), run + 1000), 0, {0});
  }
  b.heap.full(false);
  const usize free = b.heap.host.cycle->spaces().old.hole_bytes();
  EXPECT_GT(free, 256 * KiB) << "as much as half of an eden";
  EXPECT_LT(free, b.heap.host.cycle->old_bytes() / 32);
  b.unseen = b.looked = 0;
  b.make(60'000, 90'000, 1000);
  EXPECT_GE(b.unseen, 1u);
}

} // namespace
} // namespace garner::test
