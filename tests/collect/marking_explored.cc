// Marking beside the program, all schedules of a small case, or all within a bound on preemptions: a heap of a few objects, a thread of the program, the marking's thread, one worker.
//
// A story is what the program does after a first pause. Without a trap its search comes to the end, and in no schedule is anything lost; with the mistake that it was written for
// (Trap, seam/watch.h) a schedule is found that loses something, and its choices lose it again. Each story is arranged so that the first schedule, in which nobody is preempted, is
// right even with the mistake: what is found is an interleaving.
// Searched is the story's own part (Sim::choose), from the first pause until what the program does matters no more, and of that what comes while the program runs: in a pause the
// marking's thread does nothing but go to sleep.
// Invariants: what is wrong is seen by walking the heap afterwards, where all is swept in the last pause therefore, never by following a reference that may lead nowhere; with a trap the verifier, which would end the process, is off.
#include <initializer_list>

#include "machine/sim/explore.h"
#include "small_heap.h"

namespace garner::test {
namespace {

class Play {
 public:
  Play(SmallHeapOn<Sim>& heap, Sim::Atomic<u32>& place) : h(heap), place_(place) {
    search(false);
    h.host.observer = {[](void* self, Kind) { static_cast<Play*>(self)->h.machine.choose(false); },
                       [](void* self, Kind, Kind) { static_cast<Play*>(self)->h.machine.choose(static_cast<Play*>(self)->searched_); }, this};
  }

  SmallHeapOn<Sim>& h;

  // -- the program and the thread --
  void step() { place_.fetch_add_relaxed(1); } // what comes next is something that the thread may come before
  void give_way() { h.self.yield(); }          // the thread first, if it has anything to do
  void young() { h.ask(Kind::young1, Cause::induced); }
  void begin() { // from here on all orders are tried
    h.ask(Kind::young1, Cause::induced, true);
    EXPECT_TRUE(h.host.cycle->marking());
    search(true);
  }
  void end(Cause cause = Cause::marked) { // and from here on none: the program waits, whatever the thread does
    search(false);
    while (h.host.cycle->awaits() != Awaits::last_pause) give_way();
    h.ask(Kind::young1, cause);
    EXPECT_TRUE(h.host.cycle->ended_marking());
  }
  void search(bool on) {
    searched_ = on;
    h.machine.choose(on);
  }

  // -- objects --
  usize node() { return h.root(h.node(1)); }
  Ref held(usize cell) { return h.get(h.at(cell), 0); }
  void hang(usize cell, Ref value) { h.set(h.at(cell), 0, value); }
  void take_off(usize cell) { hang(cell, {0}); }
  void let_go_last() { h.let_go(h.mutator.cells.size() - 1); }
  void make_old() {
    h.young();
    for (auto& cell : h.mutator.cells) EXPECT_EQ(h.generation(cell.object()), 2u);
  }
  // In the first cells holders, each with a value on its slot; all old.
  void make_holders(u32 count) {
    for (u32 i = 0; i < count; i++) node();
    for (u32 i = 0; i < count; i++) hang(i, h.node(1));
    make_old();
  }
  // In the first cells an object each, all that lives in a region of its own. Marked, and chosen to be moved: the thread looks for references to them next.
  void make_sparse() {
    constexpr usize kBytes = 8000, kRegions = 4;
    while (h.mutator.cells.size() * kBytes < kRegions * h.heap().region_bytes()) h.root(h.node(1, kBytes));
    make_old();
    std::vector<Ref> live;
    for (auto& cell : h.mutator.cells)
      if (live.empty() || h.heap().index_of(cell.object()) != h.heap().index_of(live.back())) live.push_back(cell.object());
    EXPECT_GE(live.size(), kRegions);
    h.drop_roots();
    for (Ref ref : live) h.root(ref);
    begin();
    end();
    search(true);
  }

  // -- afterwards --
  bool there(Ref ref) { // as an object of the heap
    bool found = false;
    h.each_object([&](Ref other) { found = found || (other == ref && !h.host.filler(other)); });
    return found;
  }
  void must(bool good, const char* else_) {
    if (!good && wrong_ == nullptr) wrong_ = else_;
  }
  const char* wrong() const { return wrong_; }

 private:
  Sim::Atomic<u32>& place_;
  bool searched_ = false;
  const char* wrong_ = nullptr;
};

struct Story {
  void (*play)(Play& play);
  std::initializer_list<Trap> traps;
  const char* options = "";
};
struct Seen { u64 moves = 0; }; // schedules in which objects of old space moved

// One run of a story (machine/sim/explore.h).
class Case {
 public:
  Case(Sim& machine, const Story& story, Seen& seen) : machine_(machine), story_(story), seen_(seen) {
    machine.start([](void* self) { static_cast<Case*>(self)->live(); }, this);
  }
  bool ok() const { return wrong_ == nullptr; }

 private:
  void live() {
    const bool trapped = machine_.config().traps != 0;
    SyntheticShape shape = SmallHeapOn<Sim>::roomy();
    shape.reserve = 8 * MiB;
    SmallHeapOn<Sim> heap(machine_, std::string("marking=concurrent,sweep_beside=off,tenure=fixed,tenure_age=0,tlab=1k,plab_old=1k,") + (trapped ? "verify=off," : "") + story_.options, shape);
    Play play(heap, place_);
    story_.play(play);
    wrong_ = play.wrong();
    seen_.moves += heap.last().moved != 0;
  }
  Sim& machine_;
  const Story& story_;
  Seen& seen_;
  Sim::Atomic<u32> place_;
  const char* wrong_ = nullptr;
};

// ---- the stories ----

// Two values change places. Who has read one holder before and the other after has seen one of them twice and the other never.
void exchange(Play& p) {
  p.make_holders(2);
  const Ref v = p.held(0), w = p.held(1);
  p.begin();
  p.step();
  p.hang(0, w);
  p.step();
  p.hang(1, v);
  p.end();
  p.must(p.there(v) && p.there(w), "a value is lost");
}

// The program takes the only reference to `v` out of one holder, and then puts it into another.
void move_over(Play& p, Ref v) {
  p.begin();
  p.h.root(v);
  p.take_off(0);
  p.step();
  p.hang(1, v);
  p.let_go_last();
  p.end();
  p.must(p.there(v), "a value is lost");
}

// It does so while the page of both is read for the second time.
void put_back(Play& p) {
  p.make_holders(2);
  move_over(p, p.held(0));
}

// A young object hangs on an old one, which is read before that grows old.
void hang_young(Play& p) {
  const bool en_masse = p.h.host.settings.as<EnMasse>(Opt::en_masse) == EnMasse::mostly;
  p.make_holders(1);
  p.begin();
  p.search(false); // taking memory for it is not what this is about
  const Ref young = p.h.node(1);
  p.search(true);
  p.give_way();
  p.step();
  p.hang(0, young);
  p.end(en_masse ? Cause::stress : Cause::marked);
  EXPECT_EQ(p.h.last().en_masse, en_masse);
  p.must(p.there(p.held(0)), "what grew old is lost");
}

// The only reference lies on a page that only the last pause reads, and somebody asks for the value by a weak handle.
void ask_weakly(Play& p) {
  p.make_holders(2);
  const Ref v = p.held(0);
  const Handle handle = p.h.host.table.create(p.h.host.owner, HandleKind::weak_short, v, 0);
  move_over(p, v);
  p.must(load_word(word(handle)) == v.at, "a weak handle has forgotten a value that lives");
}

// A full collection moves what the thread has still to read, and where one of that lay is another then, which dies before the next marking.
void clear_up(Play& p) {
  for (u32 i = 0; i < 5; i++) p.node();
  p.make_old();
  p.h.let_go(0);                                                           // its place is what the others slide into
  const Ref before = p.h.at(1);
  p.begin();
  p.give_way();
  p.step();
  p.h.full();
  p.search(false);
  EXPECT_TRUE(p.h.at(2) == before);
  const Handle handle = p.h.host.table.create(p.h.host.owner, HandleKind::weak_short, before, 0);
  p.h.let_go(2);
  p.begin();
  p.end();
  p.must(load_word(word(handle)) == 0, "what was dead before the marking began lives");
}

// A value comes into the program's hands after the first pause, and its holder is read when it has gone.
void hold(Play& p) {
  p.make_holders(1);
  const Ref v = p.held(0);
  p.begin();
  p.give_way();
  p.step();
  p.h.root(v);
  p.take_off(0);
  p.end();
  p.must(p.there(v), "what the program holds is lost");
}

// After the choice of what moves. Here and in the next two a young collection follows, which moves if the thread was done before it: that is what the schedule decides. What happens in
// the pause is the same in all of them, as one worker does it.
void pin(Play& p) {
  p.make_sparse();
  const Ref v = p.h.at(0);
  const Handle handle = p.h.host.table.create(p.h.host.owner, HandleKind::pinned, v, 0);
  p.step();
  p.young();
  p.must(load_word(word(handle)) == v.at && p.there(v), "what is pinned has moved");
}

// What stays is made to refer to what moves, while the thread looks for such references.
void link_from_outside(Play& p) {
  const Ref outside = p.h.make(synthetic::make_type(synthetic::Shape::plain, 0, 1, kMinObjectBytes + kWordBytes), true);
  p.h.host.table.create(p.h.host.owner, HandleKind::pinned, outside, 0);
  p.make_sparse();
  p.step();
  p.h.set(outside, 0, p.h.at(0));
  p.search(false);
  while (p.h.host.cycle->awaits() != Awaits::portion) p.give_way();
  p.young();
  p.must(p.h.get(outside, 0) == p.h.at(0) && p.there(p.h.at(0)), "a reference leads to where its object was");
}

// What moves refers to what moves with it.
void link(Play& p) {
  p.make_sparse();
  p.hang(0, p.h.at(1));
  p.step();
  p.young();
  p.must(p.held(0) == p.h.at(1) && p.there(p.h.at(1)), "what moved refers to where another was");
}

// What was to move, and is pinned meanwhile, refers to what moves.
void stay_with_a_link(Play& p) {
  p.make_sparse();
  p.hang(0, p.h.at(1));
  p.h.host.table.create(p.h.host.owner, HandleKind::pinned, p.h.at(0), 0);
  p.step();
  p.young();
  p.must(p.held(0) == p.h.at(1) && p.there(p.h.at(1)), "what stays refers to where another was");
}

// What moves is referred to from without only: what a reference leads to when its object's old place was written over is never followed.
void stand_apart(Play& p) {
  p.make_sparse();
  p.step();
  p.young();
  for (usize i = 0; i < p.h.mutator.cells.size(); i++) p.must(p.there(p.h.at(i)), "a reference leads to no object");
}

// What died beside something that lives, and is not swept yet, refers to where another object lies now, which is young and dies.
void leave_behind(Play& p) {
  constexpr usize kBytes = 8000, kRegions = 2;
  p.node(); // lives
  p.node(); // dies beside it
  while (p.h.mutator.cells.size() * kBytes < kRegions * p.h.heap().region_bytes()) p.h.root(p.h.node(1, kBytes));
  p.make_old();
  const u32 home = p.h.heap().index_of(p.h.at(0));
  EXPECT_EQ(p.h.at(0).at / kCardBytes, p.h.at(1).at / kCardBytes);
  Ref gone{0};
  for (auto& cell : p.h.mutator.cells)
    if (gone.at == 0 && p.h.heap().index_of(cell.object()) != home) gone = cell.object();
  p.hang(1, gone);
  while (p.h.mutator.cells.size() > 1) p.let_go_last();
  p.begin();
  p.end();
  EXPECT_TRUE(p.h.heap().region(home).unswept);
  Ref young = p.h.node(1);
  for (u32 n = 0; n < 100'000 && young != gone; n++) young = p.h.node(1);
  EXPECT_TRUE(young == gone);
  const Handle handle = p.h.host.table.create(p.h.host.owner, HandleKind::weak_short, young, 0);
  p.hang(0, p.h.node(1)); // their card is looked at
  p.search(true);
  p.give_way();
  p.step();
  p.young();
  p.search(false);
  p.must(load_word(word(handle)) == 0, "what only the dead refer to lives");
  p.must(p.h.generation(p.held(0)) == 2, "what the living refer to has not become old");
}

// ---- the searches ----

constexpr u32 kAny = ~0u; // preemptions

void search(const Story& story, u32 preemptions) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "many schedules, and one thread of the host runs them all";
#endif
  sim::Limits limits;
  limits.machine.preemptions_max = preemptions;
  limits.machine.steps_max = 1'000'000;
  limits.schedules_max = 100'000;
  Seen seen, ignored;
  sim::Exploration right = sim::explore<Case>(limits, story, seen);
  EXPECT_FALSE(right.failed()) << right.text();
  EXPECT_TRUE(right.exhausted());
  printf("%llu schedules, %s; in %llu of them objects of old space moved\n", (unsigned long long)right.schedules(),
         preemptions == kAny ? "all there are" : preemptions == 1 ? "all with one preemption" : "all with two preemptions", (unsigned long long)seen.moves);
  for (Trap trap : story.traps) {
    limits.machine.traps = 1u << u32(trap);
    sim::Exploration wrong = sim::explore<Case>(limits, story, ignored);
    ASSERT_TRUE(wrong.failed()) << "trap " << u32(trap) << " is not found in " << wrong.schedules() << " schedules";
    EXPECT_EQ(wrong.end(), sim::End::finished) << wrong.text();
    EXPECT_GT(wrong.schedules(), 1u) << "is no matter of schedule";
    EXPECT_TRUE(sim::replay<Case>(limits, wrong.choices(), story, ignored).failed());
    printf("with the mistake schedule %llu fails\n", (unsigned long long)wrong.schedules());
  }
}

TEST(MarkingExplored, UnwatchedStoreIsFound) { search({&exchange, {Trap::unwatched_store}}, kAny); }
TEST(MarkingExplored, LateCleaningIsFound) { search({&put_back, {Trap::late_cleaning}}, kAny); }
TEST(MarkingExplored, BornWhiteIsFound) { search({&hang_young, {Trap::born_white}}, kAny); }
TEST(MarkingExplored, UnseenWhiteIsFound) { search({&hang_young, {Trap::unseen_white}, "en_masse=mostly"}, kAny); }
TEST(MarkingExplored, EarlyWeakIsFound) { search({&ask_weakly, {Trap::early_weak}}, kAny); }
TEST(MarkingExplored, StaleStackIsFound) { search({&clear_up, {Trap::stale_stack}}, 2); }
TEST(MarkingExplored, RootsOnceIsFound) { search({&hold, {Trap::roots_once}}, kAny); }
TEST(MarkingExplored, LatePinIsFound) { search({&pin, {Trap::late_pin}}, 1); }
TEST(MarkingExplored, UnreadCopiesAreFound) { search({&link, {Trap::unread_copies}}, 1); }
TEST(MarkingExplored, UnreadStayingIsFound) { search({&stay_with_a_link, {Trap::unread_staying}}, 1); }
TEST(MarkingExplored, EarlyReuseIsFound) { search({&stand_apart, {Trap::early_reuse}}, 1); }
TEST(MarkingExplored, WalkedDeadAreFound) { search({&leave_behind, {Trap::walked_dead}, "sweep_beside=on,moved_at_once=0"}, 1); }
TEST(MarkingExplored, StoresBesideTheLookForWhatMovesAreFound) { search({&link_from_outside, {Trap::unwatched_store, Trap::late_cleaning}}, kAny); }

} // namespace
} // namespace garner::test
