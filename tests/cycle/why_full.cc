// The cause of a full collection that came because eden was full says what spoke for it: old space that has grown as far as it may, or that leaves too little room. A
// young one's is eden_full, and who asks for a full one is told what he asked for.
#include <set>

#include "collect/small_heap.h"

namespace garner::test {
namespace {

using Causes = std::set<Cause>;
struct Seen { Causes young, full, begun_full; };

// Of `kept` bytes live all the time, and each object that comes takes an old one's place: the program's own doing is that eden is full.
Seen causes_of(u64 limit, u64 kept) {
  SyntheticShape shape;
  shape.eden = shape.eden_min = MiB;
  shape.eden_max = 2 * MiB;
  shape.limit = limit;
  Seen seen;
  on_sim({}, "verify=off,tenure=fixed,en_masse=off,marking=stopped", [&](SmallHeapOn<Sim>& heap) {
    ASSERT_TRUE(heap.host.cycle->emitter().add({[](void* self, EventId id, const void* payload) {
      Seen& all = *static_cast<Seen*>(self);
      if (id == EventId::cycle_begin && static_cast<const CycleBegin*>(payload)->kind == Kind::full) all.begun_full.insert(static_cast<const CycleBegin*>(payload)->cause);
      if (id != EventId::cycle_end) return;
      const CycleEnd& end = *static_cast<const CycleEnd*>(payload);
      (end.kind == Kind::full ? all.full : all.young).insert(end.cause);
    }, &seen}));
    const usize cells = kept / 1024;
    for (usize i = 0; i < cells; i++) heap.root(heap.leaf(1024));
    for (u32 i = 0; heap.host.cycle->count() < 120 && i < 400'000; i++) {
      Ref ref = heap.leaf(1024);
      heap.mutator.cells[i * 7 % cells] = {ref.at, 0, heap.id(ref), RootKind::exact};
    }
  }, shape);
  return seen;
}

TEST(WhyFull, OldSpaceHasGrown) {
  const Seen seen = causes_of(0, 4 * MiB);
  EXPECT_EQ(seen.young, Causes{Cause::eden_full});
  EXPECT_EQ(seen.full, Causes{Cause::old_growth});
  EXPECT_EQ(seen.begun_full, seen.full) << "what is told when it begins";
}

TEST(WhyFull, OldSpaceLeavesNoRoom) {
  const Seen seen = causes_of(16 * MiB, 4 * MiB);
  EXPECT_EQ(seen.young, Causes{Cause::eden_full});
  std::string full;
  for (Cause cause : seen.full) full += std::string(name_of(cause)) + " ";
  EXPECT_TRUE(seen.full.count(Cause::no_room) != 0) << full;
  EXPECT_EQ(seen.full.count(Cause::eden_full), 0u) << full;
}

TEST(WhyFull, WhoAskedIsToldWhatHeAskedFor) {
  SmallHeap heap;
  heap.full();
  EXPECT_EQ(heap.last().cause, Cause::induced);
}

} // namespace
} // namespace garner::test
