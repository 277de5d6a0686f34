// Sweeping beside the program: what is true between a marking's last pause and the last region that its thread has swept. On the simulated machine the thread gets its turn when the program gives way, or takes long.
// Who walks through the heap holds it, as a collection does.
#include "small_heap.h"

namespace garner::test {
namespace {

class Unswept {
 public:
  static constexpr usize kObjects = 6000; // some three regions
  explicit Unswept(SmallHeapOn<Sim>& heap) : h(heap) {}

  SmallHeapOn<Sim>& h;

  // Old objects of all sizes, of which some die: two of three one after the other, and every seventh by itself, which is too small a hole.
  void leave_dead(usize objects = kObjects) {
    for (usize i = 0; i < objects; i++) h.root(h.node(1, 8 * (i % 20)));
    h.young();
    std::vector<Ref> live;
    for (usize i = 0; i < h.mutator.cells.size(); i++)
      if (i / 64 % 3 == 0 && i % 7 != 0) live.push_back(h.at(i));
    h.drop_roots();
    for (Ref ref : live) h.root(ref);
    h.ask(Kind::young1, Cause::induced, true);
    ASSERT_TRUE(h.host.cycle->marking());
    h.rested(Awaits::last_pause);
    h.ask(Kind::young1, Cause::marked);
    ASSERT_TRUE(h.host.cycle->ended_marking());
  }
  u64 alive() {
    h.host.cycle->hold_beside();
    const u64 objects = h.objects();
    h.host.cycle->let_beside_go();
    return objects;
  }
};

void with_unswept(const std::function<void(Unswept&)>& body, usize objects = Unswept::kObjects) {
  SimConfig config;
  on_sim(config, "marking=concurrent,tenure=fixed,tenure_age=0,workers=1,moved_at_once=0,verify=both", [&](SmallHeapOn<Sim>& heap) {
    Unswept u(heap);
    u.leave_dead(objects);
    EXPECT_GT(u.h.unswept(), 0u);
    EXPECT_EQ(u.alive(), heap.mutator.cells.size()) << "the dead are not walked over";
    body(u);
    EXPECT_EQ(u.alive(), heap.mutator.cells.size());
  });
}

TEST(Sweeping, TheThreadSweepsWhatIsDead) {
  with_unswept([](Unswept& u) {
    u.h.swept();
    u.h.young(); // settles
    EXPECT_GT(u.h.host.cycle->spaces().old.hole_bytes(), 0u);
  });
}

// What will be holes counts as that at once: nothing changes when they are made. Of a heap that is smaller than a region too, whose end was never carved.
TEST(Sweeping, HolesCountBeforeTheyAreMade) {
  for (usize objects : {usize(200), Unswept::kObjects})
    with_unswept(
        [](Unswept& u) {
          const u64 old = u.h.host.cycle->old_bytes(), used = u.h.heap().region_bytes() * 8;
          EXPECT_LT(old, used);
          u.h.swept();
          u.h.young();
          EXPECT_EQ(u.h.host.cycle->old_bytes(), old);
          EXPECT_GT(old, 0u);
        },
        objects);
}

TEST(Sweeping, AFullCollectionSweepsTheRestFirst) {
  with_unswept([](Unswept& u) {
    u.h.full();
    EXPECT_EQ(u.h.unswept(), 0u);
  });
}

TEST(Sweeping, ANewMarkingSweepsTheRestFirst) {
  with_unswept([](Unswept& u) {
    u.h.ask(Kind::young1, Cause::induced, true);
    EXPECT_TRUE(u.h.host.cycle->marking());
    EXPECT_EQ(u.h.unswept(), 0u);
  });
}

TEST(Sweeping, YoungCollectionsComeMeanwhile) {
  with_unswept([](Unswept& u) {
    std::vector<u32> ids;
    for (usize i = 0; i < u.h.mutator.cells.size(); i += 5) { // cards of what lives among the dead
      Ref young = u.h.leaf(40);
      ids.push_back(u.h.id(young));
      u.h.set(u.h.at(i), 0, young);
    }
    u.h.young();
    EXPECT_GT(u.h.unswept(), 0u);
    for (usize i = 0, n = 0; i < u.h.mutator.cells.size(); i += 5, n++) {
      Ref value = u.h.get(u.h.at(i), 0);
      ASSERT_EQ(u.h.id(value), ids[n]);
      EXPECT_EQ(u.h.generation(value), 2u);
      u.h.set(u.h.at(i), 0, {0});
    }
    u.h.full();
  });
}

TEST(Sweeping, APointerIntoAnObjectIsAskedOfTheMarks) {
  with_unswept([](Unswept& u) {
    u32 dead = 0;
    auto& heap = u.h.heap();
    u.h.host.cycle->hold_beside();
    for (auto& cell : u.h.mutator.cells) EXPECT_TRUE(object_containing(heap, u.h.host, cell.object().at + 8) == cell.object());
    heap.each_region([&](u32 index, auto& r) {
      if (!r.unswept) return;
      for (word at = heap.begin_of(index) + kHeadBytes; at < r.top.load_relaxed(); at += 64) dead += object_containing(heap, u.h.host, at).at == 0;
    });
    u.h.host.cycle->let_beside_go();
    EXPECT_GT(dead, 0u);
  });
}

} // namespace
} // namespace garner::test
