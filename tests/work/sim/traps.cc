// The traps of the specifications, each switched on in the code that guards against it, must be found by the explorer: by all schedules
// within a bound or by a few thousand seeds. A trap that nobody finds would mean that the tests of this floor prove nothing about it.
#include <gtest/gtest.h>

#include "pieces.h"

namespace garner::pieces {
namespace {

constexpr u32 bit(Trap trap) { return 1u << u32(trap); }

struct Hunt {
  u64 schedules_most = 200'000, seeds_most = 5'000;
  u32 preemptions = 2, nodes = 1;
  bool races = true;
};

// What was found, with what repeats it; empty when nothing was.
template <class Case> std::string hunt(u32 traps, const Hunt& how) {
  sim::Limits limits;
  limits.machine.races = how.races;
  limits.machine.traps = traps;
  limits.machine.nodes = how.nodes;
  limits.machine.preemptions_max = how.preemptions;
  limits.schedules_max = how.schedules_most;
  if (how.schedules_most != 0) {
    sim::Exploration found = sim::explore<Case>(limits);
    if (found.failed()) {
      EXPECT_TRUE(sim::replay<Case>(limits, found.choices()).failed()) << "its choices do not repeat it";
      return found.text();
    }
  }
  for (u64 seed = 1; seed <= how.seeds_most; seed++) {
    SimConfig config;
    config.seed = seed;
    config.races = how.races;
    config.traps = traps;
    config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
    config.changes_within = 50 + seed % 4 * 200;
    config.steps_max = 300'000;
    config.nodes = how.nodes;
    Sim sim(config);
    Case one(sim);
    sim::Outcome outcome = sim.run();
    if (outcome.end != sim::End::finished) return "seed " + std::to_string(seed) + ": " + outcome.text;
    if (!one.ok()) return "seed " + std::to_string(seed) + ": the end state is wrong";
  }
  return "";
}

template <class Case> void found_only_with(Trap trap, const Hunt& how = {}) {
  const std::string with = hunt<Case>(bit(trap), how);
  EXPECT_FALSE(with.empty()) << "the trap is there and nobody notices";
  const std::string without = hunt<Case>(0, {.schedules_most = how.schedules_most == 0 ? 0u : 20'000u, .seeds_most = 1'000, .preemptions = how.preemptions, .nodes = how.nodes});
  EXPECT_TRUE(without.empty()) << without;
  ::testing::Test::RecordProperty("found", with.substr(0, 300));
}

template <TermExit kExit> struct FutexGang : GangLife<2> {
  explicit FutexGang(Sim& on) : GangLife(on, config_of(), 1, 1) {}
  static GangConfig config_of() {
    GangConfig c;
    c.sync = SyncKind::futex;
    c.join = JoinKind::fixed;
    c.share = Share::eager;
    c.term_exit = kExit;
    return c;
  }
};

// Who finds all deques empty leaves, and without the final barrier the conductor goes on while another still works.
TEST(Traps, N10LiteralExitWithFutexIsFound) {
  const std::string with = hunt<FutexGang<TermExit::literal>>(bit(Trap::literal_with_futex), {.schedules_most = 0});
  EXPECT_FALSE(with.empty());
  EXPECT_EQ(hunt<FutexGang<TermExit::count_only>>(0, {.schedules_most = 20'000, .seeds_most = 1'000}), "");
  RecordProperty("found", with.substr(0, 300));
}

// A thief that has counted entries stops; the owner takes them back, twice; the thief goes on.
TEST(Traps, N9UntaggedDequeIsFound) { found_only_with<DequeHandsOver<Order::owner_lifo, Share::lazy, 1, 6, 4>>(Trap::untagged_deque); }

TEST(Traps, N16UntaggedQueueIsFound) {
  found_only_with<QueueHandsOut<TaskQueueKind::array>>(Trap::untagged_queue);
  found_only_with<QueueHandsOut<TaskQueueKind::msqueue>>(Trap::untagged_queue);
}

// A whole gang: a worker held between leaving termination and its last dequeue.
TEST(Traps, N16UntaggedQueueInAGangIsFound) {
  found_only_with<GangCase<2, JoinKind::fixed, SyncKind::futex, TaskQueueKind::array>>(Trap::untagged_queue, {.preemptions = 1});
}

// An idle worker that saw work withdraws so late that the next phase has begun.
struct LateWithdrawal {
  using Term = Termination<Sim>;
  explicit LateWithdrawal(Sim& s) : sim(s) {
    term.open(1, 2);
    launch<LateWithdrawal, &LateWithdrawal::conduct, 0>(sim, this);
    launch<LateWithdrawal, &LateWithdrawal::straggle, 1>(sim, this);
  }
  void conduct(Sim::Self& self) {
    for (u32 epoch = 1; epoch <= 2; epoch++) {
      phase = epoch;
      if (epoch == 2) term.open(2, 1);
      u64 w = term.offer();
      while (Term::open_for(w, epoch)) {
        self.yield();
        w = term.look();
      }
      own(cell); // the phase is over, and what belonged to it is the conductor's
    }
  }
  void straggle(Sim::Self&) {
    own(mine);
    if (Term::over(term.offer()) || !term.withdraw(1)) return;
    good = phase == 1; // it works on, for the first phase
    own(cell);
    term.offer();
  }
  bool ok() { return good && Term::over(term.look()) && Term::idle_of(term.look()) == 1; }
  Sim& sim;
  Term term;
  Cell cell, mine;
  u32 phase = 1;
  bool good = true;
};

// Who puts in believes that it is alone: two producers write one slot, or one bottom over the other's.
TEST(Traps, T4UnlockedPutIsFound) {
  found_only_with<NodeQueueHandsOver<2, 2, 8, 1>>(Trap::unlocked_put);
  found_only_with<NodeQueueHandsOver<2, 2, 2, 1>>(Trap::unlocked_put);
  // The detector stops at the first figure beside the ring. Without it entries are lost, or taken twice.
  found_only_with<NodeQueueHandsOver<2, 2, 8, 1>>(Trap::unlocked_put, {.races = false});
}

// The plain idle counter: the phase ends over entries that nobody holds, roots or scan requests. Either is found by what it loses itself: with the
// other kind alone in the queues nothing is wrong.
using RootGang = MailGang<2, JoinKind::fixed, SyncKind::futex, 1, Posts::roots>;
using RequestGang = MailGang<2, JoinKind::fixed, SyncKind::futex, 1, Posts::requests>;
constexpr Hunt kByNode{.preemptions = 1, .nodes = 2}, kByNodeShort{.schedules_most = 5'000, .seeds_most = 1'000, .preemptions = 1, .nodes = 2};

TEST(Traps, T13LostRootIsFound) {
  found_only_with<RootGang>(Trap::uncounted_roots, kByNode);
  EXPECT_EQ(hunt<RequestGang>(bit(Trap::uncounted_roots), kByNodeShort), "");
}

TEST(Traps, N23LostRequestIsFound) {
  found_only_with<RequestGang>(Trap::uncounted_requests, kByNode);
  EXPECT_EQ(hunt<RootGang>(bit(Trap::uncounted_requests), kByNodeShort), "");
}

TEST(Traps, N10UntaggedTerminationWordIsFound) { found_only_with<LateWithdrawal>(Trap::untagged_word, {.preemptions = 3}); }

} // namespace
} // namespace garner::pieces
