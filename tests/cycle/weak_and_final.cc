// The order of weak things: short handles are cleared before finalizers are asked for, long ones after what they bring back; ordinary
// finalizers run before critical ones; a finalizer runs once per registration.
#include <set>

#include "collect/small_heap.h"

namespace garner::test {
namespace {

class WeakAndFinal : public ::testing::TestWithParam<Kind> {
 protected:
  Handle handle(HandleKind kind, Ref ref) { return heap.host.table.create(heap.host.owner, kind, ref, 0); }
  Ref next() { return heap.host.finalize_queue.next_ready(); }
  SmallHeap heap{"workers=2,woken_per=0"};
};

TEST_P(WeakAndFinal, ShortHandlesDoNotSeeTheResurrected) {
  Ref object = heap.finalizable();
  Ref held = heap.leaf();
  heap.set(object, 0, held);
  u32 id = heap.id(object), held_id = heap.id(held);
  Handle short_one = handle(HandleKind::weak_short, object), long_one = handle(HandleKind::weak_long, object), short_held = handle(HandleKind::weak_short, held),
         long_held = handle(HandleKind::weak_long, held);
  heap.collect(GetParam(), true);
  EXPECT_EQ(*short_one, 0u);
  EXPECT_EQ(*short_held, 0u) << "what only a finalizer keeps was dead, too";
  ASSERT_NE(*long_one, 0u);
  ASSERT_NE(*long_held, 0u);
  EXPECT_EQ(heap.id({*long_one}), id);
  EXPECT_EQ(heap.id({*long_held}), held_id);
  EXPECT_EQ(next().at, *long_one);
  heap.full();
  EXPECT_EQ(*long_one, 0u);
  EXPECT_EQ(*long_held, 0u);
}

TEST_P(WeakAndFinal, HandlesOfTheLivingFollow) {
  usize root = heap.root(heap.leaf());
  std::vector<Handle> handles;
  for (HandleKind kind : {HandleKind::weak_short, HandleKind::weak_long, HandleKind::weak_native, HandleKind::counted}) handles.push_back(handle(kind, heap.at(root)));
  for (u32 i = 0; i < 3; i++) {
    heap.collect(GetParam(), true);
    for (Handle h : handles) ASSERT_EQ(*h, heap.at(root).at);
  }
  heap.drop_roots();
  heap.full();
  for (Handle h : handles) EXPECT_EQ(*h, 0u);
}

TEST_P(WeakAndFinal, OrdinaryBeforeCriticalInTheOrderOfRegistration) {
  std::vector<u32> ordinary, critical;
  for (u32 i = 0; i < 200; i++) {
    bool last = i % 3 == 0;
    Ref ref = heap.finalizable(last ? synthetic::kCritical : 0);
    (last ? critical : ordinary).push_back(heap.id(ref));
  }
  heap.collect(GetParam(), true);
  std::vector<u32> ran;
  for (Ref ref; (ref = next()).at != 0;) ran.push_back(heap.id(ref));
  ordinary.insert(ordinary.end(), critical.begin(), critical.end());
  EXPECT_EQ(ran, ordinary);
}

// So many that several workers look at them, in parts: the dead become ready in the order of registration, the living stay registered where they are now.
TEST_P(WeakAndFinal, ManyAreLookedAtInParts) {
  constexpr u32 kMany = 9000;
  SmallHeap many{"workers=2,woken_per=0", SmallHeap::roomy()};
  usize table = many.root(many.array(kMany));
  std::vector<u32> dead;
  for (u32 i = 0; i < kMany; i++) {
    Ref ref = many.finalizable();
    if (i % 3 == 0) many.set(many.at(table), i, ref);
    else dead.push_back(many.id(ref));
  }
  ASSERT_EQ(many.host.cycle->count(), 0u) << "some were looked at before";
  many.collect(GetParam(), true);
  FinalizeQueue& queue = many.host.finalize_queue;
  std::vector<u32> ran;
  for (Ref ref; (ref = queue.next_ready()).at != 0;) ran.push_back(many.id(ref));
  EXPECT_EQ(ran, dead);
  std::vector<word> registered, expected;
  queue.each_registered([&](Ref ref) { registered.push_back(ref.at); });
  for (u32 i = 0; i < kMany; i += 3) expected.push_back(many.get(many.at(table), i).at);
  EXPECT_EQ(registered, expected);
}

TEST_P(WeakAndFinal, ReadyObjectsAreRootsUntilTheyAreTaken) {
  Ref object = heap.finalizable();
  heap.set(object, 0, heap.leaf());
  u32 id = heap.id(object);
  for (u32 i = 0; i < 4; i++) heap.collect(i == 0 ? GetParam() : Kind::full, true);
  Ref ready = next();
  EXPECT_EQ(heap.id(ready), id);
  EXPECT_TRUE(synthetic::intact(ready));
  EXPECT_EQ(heap.objects(), 2u);
  EXPECT_EQ(next().at, 0u) << "once per registration";
}

TEST_P(WeakAndFinal, ResurrectedAndRegisteredAgain) {
  heap.finalizable();
  for (u32 round = 0; round < 3; round++) {
    heap.collect(round == 0 ? GetParam() : Kind::full, true);
    Ref ref = next();
    ASSERT_NE(ref.at, 0u) << round;
    ASSERT_TRUE(heap.host.finalize_queue.add_growing(heap.generation(ref), ref));
  }
}

TEST_P(WeakAndFinal, SuppressedOnesAreForgotten) {
  Ref ref = heap.finalizable();
  store_word(header_of(ref).at, load_word(header_of(ref).at) | synthetic::kSuppressed);
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.host.finalize_queue.ready_count(), 0u);
  EXPECT_EQ(heap.host.unsuppressed.size(), 1u);
  heap.full();
  EXPECT_EQ(heap.objects(), 0u);
}

// An object that frees its own handle from inside the collection that finds it dead.
TEST_P(WeakAndFinal, HandlesDieInTheMiddleOfACollection) {
  usize target = heap.root(heap.leaf());
  std::vector<Handle> handles;
  for (u32 i = 0; i < 400; i++) {
    Ref ref = heap.make(synthetic::make_type(synthetic::Shape::plain, synthetic::kFinalizable | synthetic::kEager, 0, 32));
    Handle h = handle(i % 2 == 0 ? HandleKind::weak_short : HandleKind::strong, heap.at(target));
    store_word(synthetic::body_of(ref), word(h));
    ASSERT_TRUE(heap.host.finalize_queue.add_growing(0, ref));
    handles.push_back(h);
  }
  EXPECT_EQ(heap.host.table.in_use(), 400u);
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.host.table.in_use(), 0u);
  EXPECT_EQ(heap.host.finalize_queue.ready_count(), 0u);
  EXPECT_NE(heap.at(target).at, 0u);
  for (Handle h : handles) EXPECT_EQ(*h, 0u);
}

// As many as workers share: each is told apart once, whoever looks at it. Of an object that is registered twice and suppressed once one registration is left.
TEST_P(WeakAndFinal, ManyAreToldApartByWorkers) {
  constexpr u32 kMany = 9000;
  usize target = heap.root(heap.leaf());
  std::set<u32> wanted;
  std::vector<Ref> again;
  u32 dropped = 0, suppressed = 0;
  for (u32 i = 0; i < kMany; i++) {
    const bool eager = i % 3 == 0, suppress = !eager && i % 5 == 0;
    Ref ref = heap.make(synthetic::make_type(synthetic::Shape::plain, synthetic::kFinalizable | (eager ? synthetic::kEager : 0), 0, 32));
    if (eager) {
      Handle h = handle(HandleKind::weak_short, heap.at(target));
      store_word(synthetic::body_of(ref), word(h));
      dropped++;
    }
    if (suppress) store_word(header_of(ref).at, load_word(header_of(ref).at) | synthetic::kSuppressed), suppressed++;
    if (!eager && !suppress) wanted.insert(heap.id(ref));
    ASSERT_TRUE(heap.host.finalize_queue.add_growing(0, ref));
    if (suppress && i % 100 == 55) again.push_back(ref);
  }
  for (Ref ref : again) { // far from their first entries, so that another worker looks at these
    ASSERT_TRUE(heap.host.finalize_queue.add_growing(0, ref));
    wanted.insert(heap.id(ref));
  }
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.host.dropped.size(), dropped);
  EXPECT_EQ(heap.host.unsuppressed.size(), suppressed);
  EXPECT_EQ(heap.host.table.in_use(), 0u);
  EXPECT_EQ(heap.host.finalize_queue.ready_count(), wanted.size());
  for (Ref ref = next(); ref.at != 0; ref = next()) EXPECT_EQ(wanted.erase(heap.id(ref)), 1u);
  EXPECT_TRUE(wanted.empty());
}

TEST_P(WeakAndFinal, CountedHandlesHoldWhatIsWantedFromOutside) {
  Ref wanted = heap.leaf(), unwanted = heap.leaf();
  word flag = wanted.at + kWordBytes;
  store_word(flag, load_word(flag) | synthetic::kHeld);
  u32 id = heap.id(wanted);
  Handle a = handle(HandleKind::counted, wanted), b = handle(HandleKind::counted, unwanted);
  heap.collect(GetParam(), true);
  ASSERT_NE(*a, 0u);
  EXPECT_EQ(heap.id({*a}), id);
  EXPECT_EQ(*b, 0u);
}

TEST_P(WeakAndFinal, NativeWordsMoveWithTheirObjects) {
  usize root = heap.root(heap.leaf(80));
  word native = heap.at(root).at + 40;
  Handle h = heap.host.table.create(heap.host.owner, HandleKind::weak_interior, heap.at(root), word(&native));
  for (u32 i = 0; i < 3; i++) {
    heap.collect(GetParam(), true);
    ASSERT_EQ(native, heap.at(root).at + 40);
    ASSERT_EQ(*h, heap.at(root).at);
  }
}

TEST_P(WeakAndFinal, SideTablesAreResolved) {
  usize root = heap.root(heap.leaf());
  ASSERT_TRUE(heap.host.side_table.push({1, heap.at(root)}));
  ASSERT_TRUE(heap.host.side_table.push({2, heap.leaf()}));
  Ref final = heap.finalizable();
  u32 id = heap.id(final);
  ASSERT_TRUE(heap.host.side_table.push({3, final}));
  heap.collect(GetParam(), true);
  EXPECT_EQ(heap.host.side_table[0].ref.at, heap.at(root).at);
  EXPECT_EQ(heap.host.side_table[1].ref.at, 0u);
  EXPECT_EQ(heap.id(heap.host.side_table[2].ref), id);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WeakAndFinal, ::testing::Values(Kind::young0, Kind::young1, Kind::full), [](auto& one) { return std::string(name_of(one.param)); });

TEST(Finalizers, AYoungCollectionAsksForYoungOnesOnly) {
  SmallHeap heap;
  usize root = heap.root(heap.finalizable());
  heap.young();
  EXPECT_EQ(heap.host.finalize_queue.registered_count(1), 1u);
  heap.young();
  EXPECT_EQ(heap.host.finalize_queue.registered_count(2), 1u);
  heap.let_go(root);
  heap.young();
  EXPECT_EQ(heap.host.finalize_queue.ready_count(), 0u);
  heap.full();
  EXPECT_EQ(heap.host.finalize_queue.ready_count(), 1u);
}

} // namespace
} // namespace garner::test
