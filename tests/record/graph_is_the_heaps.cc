// What is recorded is the heap: objects, bytes, references and roots by kind, ages and threads, as a program that knows its graph counts them.
#include "recorded.h"

namespace garner::test {
namespace {

using record::RootClass;

u64 roots_of(const record::Recording& r, RootClass how) { return r.tail().roots[u32(how)]; }

TEST(RecordedGraph, CountsOfAGraphMadeByHand) {
  SmallHeap heap;
  Ref top = heap.node(3);
  heap.root(top);
  Ref left = heap.node(2), right = heap.leaf(120);
  heap.set(top, 0, left), heap.set(top, 2, right), heap.set(left, 1, right);
  heap.leaf(), heap.node(4); // dead
  Recorded file = record_heap(heap);
  ASSERT_TRUE(file.good) << file.trouble;
  record::Recording r;
  ASSERT_EQ(read(r, file.bytes), nullptr);
  EXPECT_EQ(r.tail().objects, 3u);
  EXPECT_EQ(r.tail().object_bytes, 48u + 40u + 120u);
  EXPECT_EQ(r.tail().references, 3u);
  EXPECT_EQ(r.tail().nulls, 2u);
  EXPECT_EQ(r.tail().dropped, 0u);
  EXPECT_EQ(r.tail().regions, 1u);
  EXPECT_EQ(roots_of(r, RootClass::stack), 1u);
  ASSERT_EQ(r.roots().size(), 1u);
  EXPECT_EQ(r.roots()[0].target, 0u);
  EXPECT_EQ(r.roots()[0].thread, 2u);
  // In the order of addresses: top, left, right.
  EXPECT_EQ(r.shape(0).slots, 3u);
  EXPECT_EQ(r.edges()[0].slot, 0u);
  EXPECT_EQ(r.edges()[0].target, 1u);
  EXPECT_EQ(r.edges()[1].slot, 2u);
  EXPECT_EQ(r.edges()[1].target, 2u);
  EXPECT_EQ(r.object(1).first_edge, 2u);
  EXPECT_EQ(r.edges()[2].slot, 1u);
  EXPECT_EQ(r.edges()[2].target, 2u);
  EXPECT_EQ(r.object(0).thread, r.object(1).thread);
  EXPECT_NE(r.object(0).thread, 0u);
}

TEST(RecordedGraph, GapsAreTheDead) {
  SmallHeap heap;
  heap.root(heap.leaf(64));
  heap.leaf(80), heap.leaf(24);
  heap.root(heap.leaf(40));
  Recorded file = record_heap(heap);
  record::Recording r;
  ASSERT_EQ(read(r, file.bytes), nullptr);
  ASSERT_EQ(r.objects(), 2u);
  EXPECT_EQ(r.object(1).gap_words * 8, 104u);
}

TEST(RecordedGraph, RootsByKind) {
  SmallHeap heap;
  heap.root(heap.leaf()), heap.root(heap.leaf(64), RootKind::interior, 16), heap.root(heap.leaf(), RootKind::pinned);
  HandleTable& table = heap.host.table;
  auto handle = [&](HandleKind kind, Ref ref, word extra = 0) { ASSERT_NE(table.create(heap.host.owner, kind, ref, extra), nullptr); };
  handle(HandleKind::strong, heap.leaf()), handle(HandleKind::strong, heap.leaf());
  handle(HandleKind::pinned, heap.leaf());
  Ref key = heap.leaf(), value = heap.leaf(), dead_key = heap.leaf(), dead_value = heap.leaf();
  heap.root(key);
  handle(HandleKind::dependent, key, value.at), handle(HandleKind::dependent, dead_key, dead_value.at);
  handle(HandleKind::weak_short, key), handle(HandleKind::weak_short, heap.leaf()), handle(HandleKind::weak_long, value);
  heap.finalizable();
  Recorded file = record_heap(heap);
  record::Recording r;
  ASSERT_EQ(read(r, file.bytes), nullptr);
  EXPECT_EQ(roots_of(r, RootClass::stack), 2u);
  EXPECT_EQ(roots_of(r, RootClass::stack_interior), 1u);
  EXPECT_EQ(roots_of(r, RootClass::stack_pinned), 2u) << "a stack's, and the host reports pinned handles with its roots";
  EXPECT_EQ(roots_of(r, RootClass::strong), 2u);
  EXPECT_EQ(roots_of(r, RootClass::pinned), 1u);
  EXPECT_EQ(roots_of(r, RootClass::dependent), 1u) << "the other's first object is dead";
  EXPECT_EQ(roots_of(r, RootClass::weak_short), 1u);
  EXPECT_EQ(roots_of(r, RootClass::weak_long), 1u);
  EXPECT_EQ(roots_of(r, RootClass::finalizable), 1u);
  EXPECT_EQ(r.objects(), 3u + 3u + 2u + 1u);
  for (usize i = 0; i < r.roots().size(); i++) {
    if (r.roots()[i].how == RootClass::dependent) EXPECT_EQ(r.roots()[i].second - 1, r.roots()[i].target + 1) << "allocated one after the other";
  }
}

TEST(RecordedGraph, AgesAndWhatOldObjectsHold) {
  SmallHeap heap;
  usize old = heap.root(heap.node(2));
  heap.young(), heap.young();
  usize middle = heap.root(heap.node(1));
  heap.young();
  ASSERT_EQ(heap.generation(heap.at(old)), 2u);
  ASSERT_EQ(heap.generation(heap.at(middle)), 1u);
  Ref young = heap.leaf();
  heap.set(heap.at(old), 1, young);
  heap.root(heap.array(20'000)); // large: apart, and old
  Recorded file = record_heap(heap, Kind::young1);
  record::Recording r;
  ASSERT_EQ(read(r, file.bytes), nullptr);
  u32 by_place[6] = {};
  for (usize i = 0; i < r.regions().size(); i++) by_place[u32(r.regions()[i].place)] += r.regions()[i].objects;
  EXPECT_EQ(by_place[u32(record::Place::eden)], 1u);
  EXPECT_EQ(by_place[u32(record::Place::survivor)], 1u);
  EXPECT_EQ(by_place[u32(record::Place::old)], 1u);
  EXPECT_EQ(by_place[u32(record::Place::large)], 1u);
  EXPECT_EQ(roots_of(r, RootClass::dead_holder), 0u);
}

TEST(RecordedGraph, ADeadOldObjectsCardKeepsYoungOnesInAYoungRecordingOnly) {
  for (Kind kind : {Kind::young1, Kind::full}) {
    SmallHeap heap;
    usize old = heap.root(heap.node(2));
    heap.young(), heap.young();
    heap.set(heap.at(old), 1, heap.leaf());
    heap.let_go(old);
    Recorded file = record_heap(heap, kind);
    record::Recording r;
    ASSERT_EQ(read(r, file.bytes), nullptr);
    EXPECT_EQ(r.objects(), kind == Kind::full ? 0u : 1u);
    EXPECT_EQ(roots_of(r, RootClass::dead_holder), kind == Kind::full ? 0u : 1u);
  }
}

TEST(RecordedGraph, SlotsLieWhereTheyLay) {
  SmallHeap heap;
  heap.root(heap.make(synthetic::make_type(synthetic::Shape::repeated, 0, synthetic::pattern(2, 3), 24 + 20 * 8)));
  heap.root(heap.node(4, 16));
  Recorded file = record_heap(heap);
  record::Recording r;
  ASSERT_EQ(read(r, file.bytes), nullptr);
  EXPECT_EQ(r.shape(0).slots, 8u);
  EXPECT_EQ(r.shape(0).run, 2u);
  EXPECT_EQ(r.shape(0).skip, 3u);
  EXPECT_EQ(r.shape(1).slots, 4u);
  EXPECT_EQ(r.shape(1).run, 4u);
  EXPECT_EQ(r.shape(1).skip, 0u);
}

// A random graph against a walk of its own, and the same heap twice.
TEST(RecordedGraph, ARandomGraphIsRecordedWholeAndTwiceTheSame) {
  for (u64 seed = 1; seed <= 20; seed++) {
    SmallHeap heap;
    Random random(seed);
    std::vector<Ref> all;
    for (u32 i = 0; i < 2000; i++) {
      Ref one = random.one_in(20) ? heap.array(random.below(60)) : heap.node(u32(random.below(5)), 8 * random.below(6));
      for (usize s = 0; s < synthetic::count_slots(synthetic::type_of(one)); s++)
        if (!all.empty() && !random.one_in(4)) heap.set(one, s, all[random.below(all.size())]);
      all.push_back(one);
      if (random.one_in(50)) heap.root(one);
    }
    std::vector<Ref> stack;
    std::vector<bool> seen(4001);
    u64 objects = 0, bytes = 0, references = 0;
    auto meet = [&](Ref ref) {
      if (ref.at == 0 || seen[heap.id(ref)]) return;
      seen[heap.id(ref)] = true;
      stack.push_back(ref);
    };
    for (auto& cell : heap.mutator.cells) meet(cell.object());
    while (!stack.empty()) {
      Ref ref = stack.back();
      stack.pop_back();
      objects++, bytes += heap.host.size(ref);
      heap.host.each_slot(ref, [&](Slot slot) { references += load_word(slot.at) != 0, meet({load_word(slot.at)}); });
    }
    Recorded file = record_heap(heap, Kind::full);
    record::Recording r;
    ASSERT_EQ(read(r, file.bytes), nullptr) << "seed " << seed;
    EXPECT_EQ(r.tail().objects, objects);
    EXPECT_EQ(r.tail().object_bytes, bytes);
    EXPECT_EQ(r.tail().references, references);
    EXPECT_EQ(r.tail().dropped, 0u);
  }
}

TEST(RecordedGraph, TheSameHeapGivesTheSameBytes) {
  auto once = [] {
    SmallHeap heap;
    heap.root(heap.array(300));
    for (u32 i = 0; i < 300; i++) heap.set(heap.at(0), i, heap.node(2, 8 * (i % 7)));
    return record_heap(heap).bytes;
  };
  // Threads go by address; the reservation may lie elsewhere the second time, but regions are aligned to more than a KiB.
  const std::string first = once();
  EXPECT_EQ(first, once());
  EXPECT_GT(first.size(), 1000u);
}

} // namespace
} // namespace garner::test
