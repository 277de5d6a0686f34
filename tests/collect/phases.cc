// What can be seen of a collection's phases from a sink. N4: the program stands before the first begins. N13: marking and sliding are parallel
// phases of their own. N14: a young phase whose promotion failed runs to its end. N17: copies are there for the caller when the phase is over.
#include "by_node.h"

namespace garner::test {
namespace {

// Threads of the program that are nearly always in the middle of something.
struct Busy {
  SimHeap& heap;
  bool stop = false;
  u32 inside = 0, gone = 0; // in the middle of something; fibers switch at visible operations only
  u64 steps = 0;
  static void run(void* at) {
    Busy& busy = *static_cast<Busy*>(at);
    Sim::Self self(busy.heap.machine, 0);
    busy.heap.host.program.come_in(self);
    while (!busy.stop) {
      busy.inside++;
      for (u32 i = 0; i < 40; i++) self.pause();
      busy.steps++;
      busy.inside--;
      busy.heap.host.program.safepoint(self);
    }
    busy.heap.host.program.go_out(self);
    busy.gone++;
  }
};

TEST(Phases, N4TheProgramStandsFromTheFirstEventToTheLastPhase) {
  for (u64 seed = 1; seed <= 10; seed++) {
    SimConfig config;
    config.picker = sim::Picker::seeded;
    config.seed = seed;
    on_sim(config, "workers=2,woken_per=0", [&](SimHeap& heap) {
      Busy busy{heap};
      struct Watch {
        Busy& busy;
        bool begun = false;
        u64 steps = 0, events = 0, moved = 0;
      } watch{busy};
      ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void*) {
        Watch& w = *static_cast<Watch*>(self);
        if (id == EventId::cycle_begin) w.begun = true, w.steps = w.busy.steps;
        if (id == EventId::heap_parts) w.begun = false; // the first that is told when the program runs again
        if (!w.begun) return;
        w.events++;
        w.moved += w.busy.inside != 0 || w.busy.steps != w.steps;
      }, &watch}));
      for (u32 i = 0; i < 3; i++) ASSERT_TRUE(heap.machine.start(&Busy::run, &busy));
      for (u32 i = 0; i < 12; i++) {
        for (u32 k = 0; k < 20; k++) heap.root(heap.node(1));
        const u64 before = busy.steps;
        while (busy.steps == before) heap.self.yield();
        heap.collect(i % 4 == 3 ? Kind::full : Kind::young1);
      }
      busy.stop = true;
      while (busy.gone != 3) heap.self.yield();
      EXPECT_GT(watch.events, 12u * 3);
      EXPECT_EQ(watch.moved, 0u) << "a thread of the program went on while the collection ran";
    });
  }
}

TEST(Phases, N13MarkingAndSlidingAreParallelPhasesOfTheirOwn) {
  SimConfig config;
  config.cores_per_node = 4;
  on_sim(config, "workers=4,woken_per=0,join=fixed,full_promotes=all,root_batch=16", [](SimHeap& heap) {
    struct Watch {
      SimHeap& heap;
      std::vector<Phase> order;
      u32 marked_by = 0, moved_by = 0;
    } watch{heap, {}};
    ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void* payload) {
      Watch& w = *static_cast<Watch*>(self);
      const auto& done = *static_cast<const PhaseDone*>(payload);
      if (id != EventId::phase || (done.phase != Phase::mark && done.phase != Phase::update)) return;
      auto& gang = w.heap.host.cycle->gang();
      EXPECT_EQ(gang.last().phase, done.phase);
      EXPECT_EQ(gang.last().joined, 4u) << name_of(done.phase);
      w.order.push_back(done.phase);
      for (u32 i = 0; i < 4; i++) {
        if (done.phase == Phase::mark) w.marked_by += w.heap.host.cycle->collecting(i).marked_objects > 0;
        else w.moved_by += gang.stats(i).tasks > 0;
      }
    }, &watch}));
    for (u32 i = 0; i < 8000; i++) {
      Ref ref = heap.node(1, 80);
      if (i % 2 == 0) heap.root(ref);
    }
    heap.full();
    EXPECT_TRUE(heap.last().compacted);
    EXPECT_EQ(watch.order, (std::vector<Phase>{Phase::mark, Phase::update}));
    EXPECT_EQ(watch.marked_by, 4u);
    EXPECT_EQ(watch.moved_by, 4u);
  });
}

// Whatever is found after the first object that has no room is copied or kept all the same, and only then does the full collection begin.
TEST(Phases, N14AYoungPhaseThatFailsRunsToItsEnd) {
  for (const char* options : {"no_room=full", "no_room=full,workers=4,woken_per=0"}) {
    SyntheticShape shape;
    shape.eden = shape.eden_min = shape.eden_max = 2 * MiB;
    shape.limit = 512 * KiB + 3 * MiB;
    SmallHeap heap(options, shape);
    struct Watch {
      SmallHeap& heap;
      std::vector<Phase> order;
      u64 done = 0, kept = 0;
    } watch{heap, {}};
    ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void* payload) {
      Watch& w = *static_cast<Watch*>(self);
      if (id != EventId::phase) return;
      const Phase phase = static_cast<const PhaseDone*>(payload)->phase;
      if (phase == Phase::evacuate || phase == Phase::mark) w.order.push_back(phase);
      if (phase != Phase::evacuate) return;
      for (u32 i = 0; i < w.heap.host.cycle->gang().workers(); i++) {
        const auto& worker = w.heap.host.cycle->collecting(i);
        w.done += worker.copied_bytes + worker.kept_bytes;
        w.kept += worker.kept_bytes;
      }
    }, &watch}));
    constexpr u32 kLeaves = 9000; // 1.7 MiB, all of it alive
    for (u32 i = 0; i < kLeaves; i++) heap.root(heap.leaf(200));
    ASSERT_EQ(heap.host.cycle->count(), 0u);
    heap.young();
    EXPECT_TRUE(heap.last().promotion_failed);
    EXPECT_EQ(watch.order, (std::vector<Phase>{Phase::evacuate, Phase::mark}));
    EXPECT_GT(watch.kept, 0u);
    EXPECT_EQ(watch.done, u64(kLeaves) * 200) << "objects that the young phase did not come to";
    EXPECT_EQ(heap.objects(), kLeaves);
  }
}

// A sum over all copies, taken by the thread that waited for the phase, at once. Under the thread sanitizer and under the simulated machine's race
// detector a missing order on the way from a worker's last copy to here is a report.
template <class H> void sums_after_each_phase(H& heap, u32 rounds) {
  struct Watch {
    H& heap;
    u64 sum = 0, phases = 0;
  } watch{heap};
  ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void* payload) {
    Watch& w = *static_cast<Watch*>(self);
    if (id != EventId::phase || static_cast<const PhaseDone*>(payload)->phase != Phase::evacuate) return;
    w.phases++;
    w.sum = 0;
    for (auto& cell : w.heap.mutator.cells) {
      const Ref copy = cell.object();
      w.heap.self.read(block_of(copy), w.heap.host.size(copy));
      if (w.heap.role(copy) == Role::survivor && synthetic::intact(copy)) w.sum += H::id(copy);
    }
  }, &watch}));
  u64 expected = 0;
  for (u32 i = 0; i < 300; i++) {
    Ref ref = heap.node(2, 80);
    if (i % 3 != 0) heap.set(ref, 0, heap.at(heap.mutator.cells.size() - 1));
    expected += H::id(heap.at(heap.root(ref)));
  }
  for (u32 i = 0; i < rounds; i++) {
    heap.young();
    ASSERT_EQ(watch.sum, expected) << "collection " << i;
  }
  EXPECT_EQ(watch.phases, rounds);
}

const std::string kCopiedByFour = "workers=4,woken_per=0,root_batch=1,tenure_age=6,verify=off,plab_young=1k,preset=naps,term_count=flat,";

TEST(Phases, N17CopiesAreThereForTheCallerWhenThePhaseIsOver) {
  for (const char* ways : {"join=fixed,conductor=waits", "join=fixed,conductor=works", "join=late,conductor=waits", "join=late,conductor=works,term_count=by_node"}) {
    SmallHeap real(kCopiedByFour + ways);
    sums_after_each_phase(real, 6);
    for (u64 seed = 1; seed <= 6; seed++) {
      SimConfig config;
      config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
      config.seed = seed;
      config.races = true;
      on_sim(config, kCopiedByFour + ways, [](SimHeap& heap) { sums_after_each_phase(heap, 3); });
    }
  }
}

} // namespace
} // namespace garner::test
