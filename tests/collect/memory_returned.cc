// Memory goes back to the system beside the running program: a call that drops pages takes longer, for a large heap, than many a pause. And how much goes back (Cycle::kept_free): what the next
// collections need stays, all of it where somebody asks, as a program at rest does (cycle.idle), what a limit or a machine that is short of memory wants before anything else.
#include "collect/compact/compaction.ipp"
#include "collect/evacuate/evacuation.ipp"
#include "cycle/cycle.ipp"
#include "heap/bare_heap.h"
#include "small_heap.h"

namespace garner::test {
namespace {

// Asks at each drop of pages whether the program stands, and what they were.
struct Watching : ManyNodes {
  void discard(word at, usize bytes) {
    if (!standing || !standing()) beside += bytes;
    else in_pause += bytes, seen(at);
    CountingLinux::discard(at, bytes);
  }
  u64 now() const { return (frozen != 0 ? frozen.load() : Linux::now()) + later; } // the thread that marks waits by it
  std::atomic<u64> later = 0, frozen = 0;
  std::function<bool()> standing;
  std::function<void(word)> seen = [](word) {};
  std::atomic<u64> in_pause = 0, beside = 0;
};

struct Returning : Watching, SmallHeapOn<Watching> {
  explicit Returning(const std::string& options, const SyntheticShape& shape = roomy(), u32 nodes = 1) : SmallHeapOn<Watching>(on(nodes), options, shape) {
    standing = [this] { return host.program.stands(); };
  }
  ~Returning() { standing = nullptr; }
  Watching& on(u32 nodes) { return many = nodes, *this; }
  using SmallHeapOn<Watching>::heap;
  using Watching::Self;
  auto& cycle() { return *host.cycle; }
  u64 free() { return heap().free_charged(); }
  void garbage(u64 bytes) {
    for (; bytes >= 1024; bytes -= 1024) leaf(1024);
  }
  void lasting(u64 bytes) {
    for (; bytes >= 1024; bytes -= 1024) root(leaf(1024));
  }
  // What was given back since the last look, which is something.
  u64 given_back(const char* when) {
    const u64 bytes = beside.exchange(0);
    EXPECT_GT(bytes, 0u) << when << ": nothing went back, nothing is tested";
    EXPECT_EQ(in_pause, 0u) << when << ": pages went back while the program stood";
    return bytes;
  }
};

TEST(MemoryReturned, NotWhileTheProgramStands) {
  Returning heap("trim=on,tenure=fixed,tenure_age=1,workers=3");
  for (u32 round = 0; round < 3; round++) {
    heap.lasting(256 * KiB);
    heap.garbage(2 * MiB);
    heap.young0();
    heap.given_back("youngest");
    heap.garbage(2 * MiB);
    heap.young();
    heap.given_back("young");
    heap.garbage(MiB);
    for (u32 i = 0; i < 8; i++) heap.leaf(200 * KiB);
    heap.full(false);
    EXPECT_GT(heap.given_back("full"), 8 * 200 * KiB) << "the large ones too";
    auto& cells = heap.mutator.cells;
    for (usize i = 0; i < cells.size() / 2; i++) cells[i] = cells[2 * i];
    cells.truncate(cells.size() / 2);
    heap.garbage(MiB);
    heap.full(true);
    EXPECT_GT(heap.last().slid, 0u);
    heap.given_back("compacting");
  }
}

TEST(MemoryReturned, NotWhileTheProgramStandsWhereEdenIsPromotedEnMasse) {
  Returning heap("trim=on,en_masse=mostly");
  u32 en_masse = 0;
  for (u32 i = 0; i < 12; i++) {
    heap.garbage(MiB);
    heap.ask(Kind::young1, Cause::stress);
    en_masse += heap.last().en_masse;
  }
  EXPECT_GT(en_masse, 4u);
  heap.full();
  EXPECT_GT(heap.given_back("after all"), 4 * MiB) << "what was promoted unseen was dead";
}

// Three kinds of collections: the first pause, the last, which frees regions without a live object, and those that empty sparse regions a little.
TEST(MemoryReturned, NotWhileTheProgramStandsAboutAMarkingBesideIt) {
  Returning heap("marking=concurrent,moved_at_once=64k,tenure=fixed,tenure_age=0,trim=on");
  heap.lasting(4 * MiB);
  heap.young(); // old from here on
  auto& cells = heap.mutator.cells;
  const usize kept = cells.size() / 20;
  for (usize i = 0; i < kept; i++) cells[i] = cells[i < kept / 2 ? i : i * 20]; // the first regions stay full, the others become sparse or empty
  cells.truncate(kept);
  heap.beside = 0;
  heap.garbage(MiB);
  heap.ask(Kind::young1, Cause::stress, true);
  heap.given_back("the first pause");
  heap.rested(Awaits::last_pause);
  heap.ask(Kind::young1, Cause::stress);
  ASSERT_TRUE(heap.cycle().ended_marking());
  heap.given_back("the last pause");
  u64 moved = 0;
  while (heap.cycle().moving() && moved == 0) {
    heap.rested(Awaits::portion);
    heap.garbage(64 * KiB);
    heap.ask(Kind::young1, Cause::stress);
    moved = heap.last().moved;
  }
  ASSERT_GT(moved, 0u);
  heap.given_back("what moves");
}

// The limit is never passed, not in a pause either: what copies lack must be had there. That is what nobody uses and everybody left for the last: pages behind large objects, and a region's beginning
// that was a large object's end, which has no room to become whole. Nothing else; on several nodes other nodes' free regions too.
TEST(MemoryReturned, NearTheLimitAPauseTakesOnlyWhatIsLeftForTheLast) {
  SyntheticShape shape = SmallHeapOn<Watching>::roomy();
  shape.limit = 4 * MiB;
  Returning heap("retain=on,verify=off", shape);
  u32 behind = 0, begun = 0, others = 0;
  heap.seen = [&](word at) {
    auto& r = heap.heap().region(heap.heap().index_at(at));
    if (r.role == Role::large || r.role == Role::large_tail) behind++;
    else if (r.role == Role::free && r.charged < heap.heap().region_bytes()) begun++;
    else others++;
  };
  Random random(7);
  for (u32 round = 0; round < 400 || (round < 20'000 && (behind == 0 || begun == 0)); round++) { // how soon a pause lacks what only a beginning has depends on who copies what
    auto& cells = heap.mutator.cells;
    while (!cells.empty() && (random.one_in(3) || heap.heap().budget().room() < 256 * KiB)) heap.let_go(random.below(cells.size()));
    if (random.one_in(4)) heap.full(random.one_in(2));
    for (u32 i = 0; i < 40; i++) {
      Ref ref = random.one_in(8) ? heap.leaf(36 * KiB + random.below(60) * KiB) : heap.leaf(KiB + 8 * random.below(2 * KiB));
      if (ref.at == 0) break;
      if (random.one_in(2)) heap.root(ref);
    }
    if (random.one_in(2)) heap.young();
    ASSERT_LE(heap.heap().budget().committed(), shape.limit);
  }
  EXPECT_GT(behind, 0u) << "nothing is tested";
  EXPECT_GT(begun, 0u) << "nothing is tested";
  EXPECT_EQ(others, 0u) << "of memory that was free before the pause";
}

// N21: its fragments drop and bind pages as eden's size changes, which is decided in the pause: that is what it is charged with. N22's counters do not.
TEST(MemoryReturned, N21FragmentsDropPagesInThePauseN22DoNot) {
  for (const char* policy : {"fragmented", "fragmented_hotspot"}) {
    Returning heap(std::string("retain=on,space_survivor=firsttouch,space_old=firsttouch,space_eden=") + policy, SmallHeapOn<Watching>::roomy(), 4);
    auto& eden = heap.cycle().spaces().eden;
    for (u32 i = 0; i < 3; i++) {
      eden.set_limit(4 * MiB); // the collection sets it back, with the world stopped
      for (heap.self.node = 0; heap.self.node < 4; heap.self.node++) { // each node's fragment has regions to be freed
        heap.garbage(512 * KiB);
        heap.close_buffers();
      }
      heap.self.node = 0;
      heap.young();
      EXPECT_EQ(eden.limit(), 8 * MiB);
    }
    if (policy[10] == 0) EXPECT_EQ(heap.in_pause, 0u);
    else EXPECT_GT(heap.in_pause, 0u);
  }
}

// ---- how much ----

SyntheticShape small_eden(u64 limit = 0) {
  SyntheticShape shape;
  shape.eden = shape.eden_min = shape.eden_max = MiB;
  shape.limit = limit;
  return shape;
}
constexpr u64 kYoung = MiB + MiB / 4 + MiB + 4 * MiB; // most that Cycle::kept_free reckons with for an eden of one, its survivors, and a little

// N12: what came and went between two full collections is expected to come again, and less and less so when it does not.
TEST(MemoryReturned, N12AProgramThatGoesOnKeepsItsMemoryOneThatDoesNotGivesItBack) {
  Returning heap("resize=fixed,tenure=fixed,tenure_age=0,old_growth=1000", small_eden());
  auto wave = [&] {
    heap.lasting(20 * MiB);
    heap.drop_roots();
    heap.full();
  };
  for (u32 i = 0; i < 3; i++) wave();
  heap.calls = 0, heap.beside = 0;
  for (u32 i = 0; i < 3; i++) wave();
  EXPECT_EQ(heap.beside, 0u) << "it was wanted again at once";
  EXPECT_GT(heap.free(), 18 * MiB);
  auto little = [&](u64 ns_between) {
    for (u32 i = 0; i < 12; i++) {
      heap.later += ns_between;
      heap.garbage(MiB / 2);
      heap.full();
    }
  };
  heap.frozen = heap.Linux::now(); // what the collections take themselves depends on this machine
  little(10'000'000);
  EXPECT_EQ(heap.beside, 0u) << "a tenth of a second is not long: what comes with every tenth full collection will come again";
  little(1'000'000'000);
  EXPECT_LE(heap.free(), kYoung * 3 / 2) << "a program that needs little now keeps much";
  EXPECT_GE(heap.free(), MiB) << "the next eden's";
  heap.given_back("in the end");
}

// N12: so a program that rests: its host asks for a collection that gives all back, or has what is free given back without one.
TEST(MemoryReturned, N12AtRestAllThatIsFreeGoesBack) {
  for (const char* options : {"resize=fixed", "resize=fixed,retain=on"}) {
    Returning heap(options, small_eden());
    heap.lasting(6 * MiB);
    const usize kept = heap.mutator.cells.size() / 2;
    heap.mutator.cells.truncate(kept);
    heap.full();
    ASSERT_GT(heap.free(), MiB);
    heap.cycle().rest();
    heap.given_back("at rest");
    EXPECT_EQ(heap.free(), 0u);
    const u64 charged = heap.heap().budget().charged(), calls = heap.calls;
    heap.cycle().rest();
    EXPECT_EQ(heap.calls, calls) << "it rests already";
    heap.mutator.cells.truncate(kept / 2);
    heap.collect(Kind::full, true, true);
    heap.given_back("a collection that gives back");
    EXPECT_EQ(heap.free(), 0u);
    EXPECT_LT(heap.heap().budget().charged(), charged - MiB);
    for (usize i = 0; i < heap.mutator.cells.size(); i++) ASSERT_NE(heap.role(heap.at(i)), Role::free);
  }
}

// N12: retained means through every collection that does not ask.
TEST(MemoryReturned, N12WhatIsRetainedStays) {
  Returning heap("resize=fixed,retain=on", small_eden());
  heap.lasting(16 * MiB);
  heap.drop_roots();
  for (u32 i = 0; i < 12; i++) heap.full();
  EXPECT_EQ(heap.beside + heap.in_pause, 0u);
  EXPECT_GT(heap.free(), 15 * MiB);
}

// N12: where the machine is short of memory what the next eden does not take goes back at once, whatever came between full collections.
TEST(MemoryReturned, N12WhereTheMachineIsShortLittleStays) {
  Returning heap("resize=fixed,tenure=fixed,tenure_age=0,old_growth=1000", small_eden());
  for (u32 i = 0; i < 2; i++) {
    heap.lasting(20 * MiB);
    heap.drop_roots();
    heap.full();
  }
  ASSERT_GT(heap.free(), 18 * MiB);
  heap.cycle().pace().set_short(true); // as the host says at each collection's end: for the next
  heap.garbage(MiB / 2);
  heap.young();
  EXPECT_LE(heap.free(), kYoung);
  heap.given_back("short");
}

// N12: a limit that is lowered takes free pages first, retained or not, with the next collection.
TEST(MemoryReturned, N12ALimitThatIsLoweredIsKeptFromTheNextCollectionOn) {
  for (const char* options : {"resize=fixed", "resize=fixed,retain=on"}) {
    Returning heap(options, small_eden(32 * MiB));
    heap.lasting(16 * MiB);
    heap.drop_roots();
    heap.full();
    ASSERT_GT(heap.heap().budget().committed(), 12 * MiB);
    heap.host.program.go_out(heap.self);
    heap.cycle().set_limit(8 * MiB);
    heap.host.program.come_in(heap.self);
    heap.beside = 0;
    heap.garbage(MiB / 2);
    heap.young();
    EXPECT_LE(heap.heap().budget().committed(), 8 * MiB);
    heap.given_back("lowered");
  }
}

} // namespace
} // namespace garner::test
