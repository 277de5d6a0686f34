// collect.ahead_by=strands: what hangs together lies together after a collection, mostly in the order in which a program would walk it, and others still find work.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "small_heap.h"

namespace garner::test {
namespace {

constexpr usize kNodeBytes = 48;

template <class Heap> Ref small_node(Heap& heap) { return heap.node(2, kNodeBytes - kMinObjectBytes - 2 * kWordBytes); }

// A whole binary tree of 2^levels - 1 nodes, made in any order. Its root's cell is the only one left.
template <class Heap> void make_tree(Heap& heap, u32 levels) {
  const u32 nodes = (1u << levels) - 1;
  std::vector<u32> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::vector<Ref> made(nodes);
  for (u32 i : order) made[i] = small_node(heap);
  for (u32 i = 0; 2 * i + 2 < nodes; i++) heap.set(made[i], 0, made[2 * i + 1]), heap.set(made[i], 1, made[2 * i + 2]);
  heap.root(made[0]);
}

// Of the steps of a walk, the part in percent that leads a little forward.
struct Walk {
  word last = 0;
  u64 steps = 0, near = 0;
  void at(Ref ref) {
    steps++;
    near += ref.at > last && ref.at - last <= 2 * kNodeBytes;
    last = ref.at;
  }
  u64 percent() const { return near * 100 / steps; }
};
// A whole binary tree, each node made before its left one and that before its right one: as walk() comes to them.
Ref made_in_order(SmallHeap& heap, u32 levels) {
  Ref made = small_node(heap);
  for (u32 i = 0; i < 2; i++)
    if (levels > 1) heap.set(made, i, made_in_order(heap, levels - 1));
  return made;
}
void walk(SmallHeap& heap, Ref ref, Walk& w) {
  if (ref.at == 0) return;
  w.at(ref);
  walk(heap, heap.get(ref, 0), w);
  walk(heap, heap.get(ref, 1), w);
}

u64 near_in_tree(const char* options) {
  SmallHeap heap(options);
  heap.root(made_in_order(heap, 14));
  heap.young();
  Walk w;
  walk(heap, heap.at(0), w);
  EXPECT_EQ(w.steps, (1u << 14) - 1);
  return w.percent();
}

TEST(Strands, N7ATreeLiesDepthFirst) {
  EXPECT_GE(near_in_tree("ahead_by=strands"), 85u);
  EXPECT_LE(near_in_tree("ahead_by=queue"), 50u) << "if the other order is as good nothing here shows anything";
}

// Of the subtrees of seven nodes, the part in percent that lies in the room of nine.
void measure(SmallHeap& heap, Ref ref, u32 levels, u64& subtrees, u64& together, word& low, word& high) {
  word below = ref.at, above = ref.at;
  for (u32 i = 0; i < 2; i++)
    if (levels > 1) measure(heap, heap.get(ref, i), levels - 1, subtrees, together, below, above);
  if (levels == 3) subtrees++, together += above - below < 9 * kNodeBytes;
  low = std::min(low, below);
  high = std::max(high, above);
}

u64 together_in_tree(const char* options) {
  SmallHeap heap(options);
  constexpr u32 kLevels = 14;
  make_tree(heap, kLevels);
  heap.young();
  u64 subtrees = 0, together = 0;
  word low = ~word(0), high = 0;
  measure(heap, heap.at(0), kLevels, subtrees, together, low, high);
  EXPECT_EQ(subtrees, 1u << (kLevels - 3));
  return together * 100 / subtrees;
}

TEST(Strands, N7SubtreesLieTogetherWhateverOrderTheyWereMadeIn) {
  EXPECT_GE(together_in_tree("ahead_by=strands"), 85u);
  EXPECT_LE(together_in_tree("ahead_by=queue"), 50u) << "if the other order is as good nothing here shows anything";
}

// An element of a document as libraries build them: the reference to its parent first, then the next one beside it, what is in it, what it says; made, and walked,
// the other way round.
enum : u32 { kParent, kNext, kContent, kText, kReferences };
Ref element(SmallHeap& heap, Ref parent) {
  Ref made = heap.node(kReferences);
  heap.set(made, kParent, parent);
  heap.set(made, kText, heap.leaf(kNodeBytes));
  return made;
}
void fill(SmallHeap& heap, Ref parent, u32 levels) {
  if (levels == 0) return;
  Ref last = {};
  for (u32 i = 0; i < 6; i++) {
    Ref made = element(heap, parent);
    heap.leaf(kNodeBytes); // what the program let go of meanwhile
    last.at == 0 ? heap.set(parent, kContent, made) : heap.set(last, kNext, made);
    fill(heap, last = made, levels - 1);
  }
}
void read(SmallHeap& heap, Ref ref, Walk& w) {
  for (; ref.at != 0; ref = heap.get(ref, kNext)) {
    w.at(ref);
    w.at(heap.get(ref, kText));
    read(heap, heap.get(ref, kContent), w);
  }
}

u64 near_in_document(const char* options) {
  SmallHeap heap(options);
  fill(heap, heap.at(heap.root(element(heap, {}))), 5);
  heap.young();
  Walk w;
  read(heap, heap.at(0), w);
  return w.percent();
}

TEST(Strands, N7ADocumentLiesAsItWasMade) {
  EXPECT_GE(near_in_document("ahead_by=strands"), 85u);
  EXPECT_LE(near_in_document("ahead_by=queue"), 50u);
}

u64 near_in_chains(const char* options) {
  SmallHeap heap(options);
  constexpr u32 kChains = 40, kLong = 400;
  usize table = heap.root(heap.array(kChains));
  std::vector<Ref> ends(kChains);
  for (u32 i = 0; i < kChains; i++) heap.set(heap.at(table), i, ends[i] = small_node(heap));
  for (u32 n = 1; n < kLong; n++)
    for (Ref& end : ends) {
      Ref next = small_node(heap);
      heap.set(end, 0, next);
      end = next;
    }
  heap.young();
  Walk w;
  for (u32 i = 0; i < kChains; i++)
    for (Ref ref = heap.get(heap.at(table), i); ref.at != 0; ref = heap.get(ref, 0)) w.at(ref);
  EXPECT_EQ(w.steps, kChains * kLong);
  return w.percent();
}

TEST(Strands, N7ChainsLieOneAfterTheOther) {
  EXPECT_GE(near_in_chains("ahead_by=strands"), 90u);
  EXPECT_LE(near_in_chains("ahead_by=queue"), 20u);
}

TEST(Strands, N7LeavesOfAnArrayLieSideBySide) {
  SmallHeap heap("ahead_by=strands");
  constexpr u32 kLeaves = 3000;
  usize table = heap.root(heap.array(kLeaves));
  for (u32 i = 0; i < kLeaves; i++) heap.set(heap.at(table), (i * 7) % kLeaves, heap.leaf(kNodeBytes)); // made in another order than they stand in
  heap.young();
  u64 near = 0;
  for (u32 i = 1; i < kLeaves; i++) {
    const word a = heap.get(heap.at(table), i - 1).at, b = heap.get(heap.at(table), i).at;
    near += (a < b ? b - a : a - b) <= 2 * kNodeBytes;
  }
  EXPECT_GE(near, kLeaves * 9 / 10);
}

// Many refer to one, time and again at the same addresses: where it went in an earlier collection nobody may be led to.
TEST(Strands, N7WhereSomethingWentIsForgottenWithItsCollection) {
  SmallHeap heap("workers=1,ahead_by=strands,hold=off,en_masse=off");
  word met_before[2] = {};
  u32 again = 0;
  for (u32 round = 0; round < 40; round++) {
    constexpr u32 kMany = 80;
    if (round % 2 != 0) heap.leaf(kNodeBytes); // so that odd rounds meet in another set
    const usize table = heap.root(heap.array(kMany));
    for (u32 i = 0; i < kMany; i++) heap.set(heap.at(table), i, small_node(heap));
    const Ref shared = small_node(heap);
    again += shared.at == met_before[round % 2]; // eden goes to and fro between two regions
    for (u32 i = 0; i < kMany; i++) heap.set(heap.get(heap.at(table), i), 0, shared);
    heap.root(heap.leaf(kNodeBytes + round * 7 % 20 * kWordBytes)); // made last and copied before it, so that it goes elsewhere each time
    const usize cell = heap.root(shared);
    heap.young();
    for (u32 i = 0; i < kMany; i++) ASSERT_EQ(heap.get(heap.get(heap.at(table), i), 0), heap.at(cell)) << "round " << round;
    ASSERT_EQ(heap.host.cycle->collecting(0).met[set_of(shared)].from, shared) << "nobody remembers it";
    met_before[round % 2] = shared.at;
    heap.drop_roots();
    heap.young();
  }
  EXPECT_GE(again, 5u) << "if no address comes again nothing here shows anything";
}

// Old ones that refer to one survivor, all but the first two of them without a turn: their cards must say so as the others' do.
TEST(Strands, N7CardsOfHoldersThatNeedNoTurn) {
  SmallHeap heap("workers=1,ahead_by=strands,hold=off,en_masse=off,tenure=fixed,tenure_age=1");
  constexpr u32 kHolders = 40;
  const usize table = heap.root(heap.array(kHolders));
  for (u32 i = 0; i < kHolders; i++) heap.set(heap.at(table), i, heap.node(1, 2 * kCardBytes)); // no two on one card
  heap.young();
  const Ref shared = small_node(heap);
  const u32 id = heap.id(shared);
  for (u32 i = 0; i < kHolders; i++) heap.set(heap.get(heap.at(table), i), 0, shared);
  heap.young();
  const Ref survivor = heap.get(heap.get(heap.at(table), 0), 0);
  ASSERT_EQ(heap.role(heap.get(heap.at(table), 0)), Role::old);
  ASSERT_EQ(heap.role(survivor), Role::survivor);
  for (u32 i = 0; i < kHolders; i++) EXPECT_NE(heap.card(synthetic::slot_at(heap.get(heap.at(table), i), 0)), 0) << i;
  heap.young();
  const Ref old = heap.get(heap.get(heap.at(table), 0), 0);
  EXPECT_NE(old, survivor);
  for (u32 i = 0; i < kHolders; i++) ASSERT_EQ(heap.get(heap.get(heap.at(table), i), 0), old) << i;
  EXPECT_EQ(heap.id(old), id);
}

// A list whose nodes lie beside each other is followed at once, node after node; the tree beside it must not wait until it ends.
u64 pause_of(u32 list, u32 levels) {
  SimConfig config;
  config.cores_per_node = 4;
  u64 ns = 0;
  on_sim(config, "workers=4,woken_per=0,ahead_by=strands", [&](SmallHeapOn<Sim>& heap) {
    const usize both = heap.root(small_node(heap));
    Ref last = heap.at(both);
    for (u32 i = 0; i < list; i++) {
      const Ref next = small_node(heap);
      heap.set(last, 0, next);
      last = next;
    }
    if (levels != 0) {
      make_tree(heap, levels);
      heap.set(heap.at(both), 1, heap.at(both + 1));
      heap.let_go(both + 1);
    }
    heap.young();
    ns = heap.last().pause_ns;
  });
  return ns;
}

TEST(Strands, N9ALongRunOfOneLeavesTheOthersToThieves) {
  const u64 list = pause_of(20000, 0), tree = pause_of(0, 14), both = pause_of(20000, 14);
  EXPECT_LT(both, list + tree) << list << " and " << tree; // with one behind the other it is more than both
}

// What a strand keeps thieves do not see; so one root's tree must not stay with one worker.
TEST(Strands, N9OneRootFeedsEverybody) {
  SimConfig config;
  config.cores_per_node = 4;
  on_sim(config, "workers=4,woken_per=0,ahead_by=strands", [&](SmallHeapOn<Sim>& heap) {
    make_tree(heap, 13);
    heap.young();
    u64 all = 0, least = ~u64(0);
    for (u32 w = 0; w < 4; w++) {
      const u64 copied = heap.host.cycle->collecting(w).copied_objects;
      all += copied;
      least = std::min(least, copied);
    }
    EXPECT_EQ(all, (1u << 13) - 1);
    EXPECT_GE(least, all / 10);
  });
}

} // namespace
} // namespace garner::test
