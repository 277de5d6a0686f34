// Marking beside the program: each guard that its argument names (collect/concurrent/marking.h; but walked_dead, which marking_explored.cc finds) is left out in turn, and a program that moves references about while
// its old objects are marked must lose something; with all of them it never does.
// The program runs on the simulated machine, under another schedule for every seed, each in a process of its own: a lost object may be found in any way.
#include <atomic>
#include <set>

#include <sys/mman.h>

#include "forks.h"
#include "small_heap.h"

namespace garner::test {
namespace {

// Values hang on old holders, each on one slot or in one cell, with a child and a weak handle each. Nothing is ever dropped.
class Shuffle {
 public:
  static constexpr u32 kHolders = 48, kSlots = 4, kValues = 120, kCellsMost = 4, kMarkings = 4;
  // en_masse: most of what is young becomes old where it lies. litter: bytes that die just after a marking has begun with them on the stack, so many that old space cannot wait for the thread.
  Shuffle(SmallHeapOn<Sim>& heap, u64 seed, usize litter, bool en_masse) : h_(heap), random_(seed), litter_(litter), en_masse_(en_masse) {
    for (u32 i = 0; i < kHolders; i++) h_.root(h_.node(kSlots, 400)); // a few to a page
    for (u32 i = 0; i < kValues; i++) {
      Ref value = h_.node(1, 8 * random_.below(30));
      place(value);
      h_.set(value, 0, h_.leaf());
      ids_.insert(h_.id(value));
      weak_.push_back(h_.host.table.create(h_.host.owner, HandleKind::weak_short, value, 0));
    }
    h_.young(); // old from here on
  }
  // "" or what is wrong.
  std::string play() {
    for (u32 markings = 0; markings < kMarkings;) {
      begin();
      for (u32 round = 0; round < 60; round++) {
        for (u64 n = random_.below(litter_ != 0 ? 3 : 40); n > 0; n--) change();
        if (random_.one_in(30)) { // cut short
          h_.full();
          begin();
        }
        young();
        if (!h_.host.cycle->ended_marking()) continue;
        markings++;
        break;
      }
      if (std::string wrong = random_.one_in(3) ? look() : move(); !wrong.empty()) return wrong;
    }
    return "";
  }
  u64 moved() const { return moved_; } // bytes that left regions which were mostly empty
  u64 unseen() const { return last_unseen_ == 0 ? 0 : unseen_; } // collections during a marking that promoted en masse, a last pause among them

 private:
  void young() {
    Request request;
    request.kind = Kind::young1;
    if (en_masse_) request.cause = Cause::stress;
    const bool marking = h_.host.cycle->marking();
    h_.mutator.collect(h_.self, request);
    unseen_ += marking && h_.last().en_masse;
    last_unseen_ += h_.last().en_masse && h_.host.cycle->ended_marking();
  }
  void begin() {
    const usize cells = h_.mutator.cells.size();
    for (usize bytes = 0; bytes < litter_; bytes += 1000) h_.root(h_.leaf(1000));
    Request request;
    request.begin_marking = true;
    if (en_masse_) request.cause = Cause::stress;
    h_.mutator.collect(h_.self, request);
    h_.mutator.cells.truncate(cells);
  }
  // What the marking left in mostly empty regions moves, while the program goes on and pins this and that for a while.
  std::string move() {
    for (u64 rounds = 2 + random_.below(6); rounds > 0; rounds--) {
      for (u64 n = random_.below(20); n > 0; n--) change();
      std::vector<std::pair<Handle, word>> pins;
      for (u32 i = 0; i < 8; i++)
        if (Ref value = h_.get(holder(), u32(random_.below(kSlots))); value.at != 0) pins.push_back({h_.host.table.create(h_.host.owner, HandleKind::pinned, value, 0), value.at});
      young();
      moved_ += h_.last().moved;
      for (auto& [pin, at] : pins) {
        if (load_word(word(pin)) != at) return "a pinned value has moved";
        h_.host.table.destroy(pin);
      }
      if (std::string wrong = look(); !wrong.empty()) return wrong;
    }
    return "";
  }
  Ref holder() { return h_.at(random_.below(kHolders)); }
  void place(Ref value) {
    for (;;)
      if (Ref at = holder(); true)
        if (u32 slot = u32(random_.below(kSlots)); h_.get(at, slot).at == 0) return h_.set(at, slot, value);
  }
  void wait() {
    for (u64 n = random_.below(60); n > 0; n--) h_.self.pause();
  }
  void change() {
    Ref from = holder();
    const u32 slot = u32(random_.below(kSlots));
    Ref value = h_.get(from, slot);
    auto& cells = h_.mutator.cells;
    switch (random_.below(4)) {
      case 0: // into the program's hands: its only reference
        if (value.at == 0 || cells.size() >= kHolders + kCellsMost) break;
        h_.root(value);
        h_.set(from, slot, {0});
        break;
      case 1: // and out of them
        if (cells.size() <= kHolders) break;
        value = h_.at(cells.size() - 1);
        place(value);
        h_.let_go(cells.size() - 1);
        break;
      case 2: // behind a young object, which grows old
        if (value.at == 0 || h_.get(value, 0).at == 0) break;
        {
          Ref child = h_.get(value, 0);
          if (synthetic::bytes_of(synthetic::type_of(child)) != kMinObjectBytes) break; // is wrapped already
          const usize cell = h_.root(value);
          Ref wrap = h_.node(1);
          value = h_.at(cell);
          h_.let_go(cell);
          h_.set(wrap, 0, h_.get(value, 0));
          h_.set(value, 0, wrap);
        }
        break;
      default: // to another place
        if (value.at == 0) break;
        place(value);
        wait();
        h_.set(from, slot, {0});
    }
    wait();
  }
  std::string look() {
    std::set<u32> seen;
    std::string wrong;
    auto value = [&](Ref ref) {
      if (ref.at == 0) return;
      if (h_.host.filler(ref) || !ids_.count(h_.id(ref))) wrong = "a value is lost";
      else if (!seen.insert(h_.id(ref)).second) wrong = "a value is in two places";
      else if (Ref child = h_.get(ref, 0); child.at == 0 || h_.host.filler(child)) wrong = "a child is lost";
      else if (h_.host.size(child) != kMinObjectBytes && (h_.get(child, 0).at == 0 || h_.host.filler(h_.get(child, 0)))) wrong = "what a child wraps is lost";
    };
    for (u32 i = 0; i < kHolders && wrong.empty(); i++)
      for (u32 s = 0; s < kSlots && wrong.empty(); s++) value(h_.get(h_.at(i), s));
    for (usize i = kHolders; i < h_.mutator.cells.size() && wrong.empty(); i++) value(h_.at(i));
    if (wrong.empty() && seen != ids_) wrong = "not all values are there";
    for (Handle handle : weak_)
      if (wrong.empty() && load_word(word(handle)) == 0) wrong = "a weak handle has forgotten a value that lives";
    return wrong;
  }

  SmallHeapOn<Sim>& h_;
  Random random_;
  usize litter_;
  bool en_masse_;
  u64 moved_ = 0, unseen_ = 0, last_unseen_ = 0;
  std::set<u32> ids_;
  std::vector<Handle> weak_;
};

std::atomic<u64>* shared_count() {
  void* at = mmap(nullptr, sizeof(std::atomic<u64>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(at, MAP_FAILED);
  return new (at) std::atomic<u64>(0);
}

// How many of the games go wrong. `left`: entries that last pauses had to mark for the thread.
u64 wrong_games(u32 traps, u64 games, bool aloud = false, usize litter = 0, std::atomic<u64>* left = nullptr, std::atomic<u64>* moved = nullptr, bool en_masse = false, std::atomic<u64>* unseen = nullptr) {
  Forks forks({.runs = games, .jobs = 2, .runs_per_process = 10, .hang_seconds = 60});
  u64 wrong_ones = forks.run(
      [&](u64 seed) {
        if (!aloud && freopen("/dev/null", "w", stderr) == nullptr) return std::string("no /dev/null"); // what the verifier says of each is not this test's news
        SimConfig config;
        config.cores_per_node = 4;
        config.picker = sim::Picker::seeded;
        config.seed = seed + 1;
        config.traps = traps;
        config.steps_max = 400'000'000;
        std::string wrong;
        const char* tenure = seed % 2 == 0 ? "tenure_age=0" : seed % 3 == 0 ? "tenure_age=1" : "tenure_age=1,sweep_beside=off";
        on_sim(config, std::string("marking=concurrent,tenure=fixed,workers=2,woken_per=0,") + (en_masse ? "en_masse=mostly," : "") + tenure, [&](SmallHeapOn<Sim>& heap) {
          Shuffle game(heap, seed, litter, en_masse);
          wrong = game.play();
          if (moved != nullptr) *moved += game.moved();
          if (unseen != nullptr) *unseen += game.unseen();
          if (left != nullptr) *left += heap.host.cycle->left_to_pauses();
        });
        return wrong;
      },
      [&](u64 seed, const std::string& how) {
        if (aloud) printf("seed %llu: %s\n", (unsigned long long)seed, how.c_str());
      });
  printf("%llu of %llu games went wrong\n", (unsigned long long)wrong_ones, (unsigned long long)games);
  return wrong_ones;
}

u32 bit(Trap trap) { return 1u << u32(trap); }
#if defined(__SANITIZE_THREAD__)
constexpr u64 kGames = 120; // each takes ten times as long
#else
constexpr u64 kGames = 300;
#endif

TEST(MarkingTraps, WithEveryGuardNothingIsLost) {
  std::atomic<u64>* moved = shared_count();
  EXPECT_EQ(wrong_games(0, 4 * kGames, true, 0, nullptr, moved), 0u);
  EXPECT_GT(moved->load(), 4 * kGames * 500);
}
TEST(MarkingTraps, WhatTheThreadHasNotComeToIsMarkedInTheLastPause) {
  std::atomic<u64>* left = shared_count();
  EXPECT_EQ(wrong_games(0, 24, true, 4'000'000, left), 0u);
  EXPECT_GT(left->load(), 24u);
}
TEST(MarkingTraps, WhatIsPromotedEnMasseMeanwhileIsMarked) {
  std::atomic<u64>* unseen = shared_count();
  EXPECT_EQ(wrong_games(0, 2 * kGames, true, 0, nullptr, nullptr, true, unseen), 0u);
  EXPECT_GT(unseen->load(), 2 * kGames);
}
TEST(MarkingTraps, UnseenWhiteIsFound) { EXPECT_GT(wrong_games(bit(Trap::unseen_white), kGames, false, 0, nullptr, nullptr, true), kGames / 30); }
TEST(MarkingTraps, UnwatchedStoreIsFound) { EXPECT_GT(wrong_games(bit(Trap::unwatched_store), kGames), kGames / 30); }
TEST(MarkingTraps, LateCleaningIsFound) { EXPECT_GT(wrong_games(bit(Trap::late_cleaning), kGames), kGames / 30); }
TEST(MarkingTraps, BornWhiteIsFound) { EXPECT_GT(wrong_games(bit(Trap::born_white), kGames), kGames / 30); }
TEST(MarkingTraps, EarlyWeakIsFound) { EXPECT_GT(wrong_games(bit(Trap::early_weak), kGames), kGames / 30); }
TEST(MarkingTraps, StaleStackIsFound) { EXPECT_GT(wrong_games(bit(Trap::stale_stack), kGames), kGames / 30); }
TEST(MarkingTraps, LatePinIsFound) { EXPECT_GT(wrong_games(bit(Trap::late_pin), kGames), kGames / 30); }
TEST(MarkingTraps, UnreadCopiesAreFound) { EXPECT_GT(wrong_games(bit(Trap::unread_copies), kGames), kGames / 30); }
TEST(MarkingTraps, UnreadStayingIsFound) { EXPECT_GT(wrong_games(bit(Trap::unread_staying), kGames), kGames / 30); }
TEST(MarkingTraps, EarlyReuseIsFound) { EXPECT_GT(wrong_games(bit(Trap::early_reuse), kGames), kGames / 30); }
TEST(MarkingTraps, RootsOnceIsFound) { EXPECT_GT(wrong_games(bit(Trap::roots_once), kGames), kGames / 30); }

} // namespace
} // namespace garner::test
