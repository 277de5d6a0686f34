// T4, T13, N23: queues per node under the race detector: a node's queue alone, and whole gangs on two nodes whose tasks post to the other node.
// All schedules of small cases within a bound, random ones beyond, and the traps of N23 and T13 switched on, which must be found.
#include <gtest/gtest.h>

#include "pieces.h"

namespace garner::pieces {
namespace {

constexpr u32 bit(Trap trap) { return 1u << u32(trap); }

// T4: two producers, two consumers, a ring of two: an entry's cell is handed from who puts it in to who takes it, spilled or not.
struct NodeQueueHandsOver {
  explicit NodeQueueHandsOver(Sim& s) : sim(s) {
    term.open(1, 4);
    good = queue.start(sim, 2);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::producer, 0>(sim, this);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::producer, 1>(sim, this);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::consumer, 2>(sim, this);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::consumer, 3>(sim, this);
  }
  ~NodeQueueHandsOver() { queue.stop(); }
  void producer(Sim::Self& self) {
    u64 entries[3] = {self.index * 3, self.index * 3 + 1, self.index * 3 + 2};
    for (u64 e : entries) own(cells[e]);
    queue.put(term, entries, 1);
    queue.put(term, entries + 1, 2);
  }
  void consumer(Sim::Self&) {
    u64 some[2];
    for (u32 i = 0; i < 2; i++)
      for (u32 n = queue.take(term, some, 1 + i); n-- > 0;) own(cells[some[n]]);
  }
  bool ok() {
    u64 rest[6], left = 0;
    while (u32 n = queue.take(term, rest, 6)) {
      for (u32 i = 0; i < n; i++) own(cells[rest[i]]);
      left += n;
    }
    for (Cell& cell : cells) good = good && cell.value == 2;
    return good && Termination<Sim>::pending_of(term.look()) == 0 && !queue.looks_filled();
  }
  Sim& sim;
  Termination<Sim> term;
  NodeQueue<Sim> queue;
  Cell cells[6];
  bool good = true;
};

// A gang on two nodes. A task posts an entry to each node; every entry's cell is written once by the poster, once by who takes it.
template <u32 kWorkers, JoinKind kJoin, SyncKind kSync> struct MailGang {
  static constexpr u32 kTasks = 2;
  struct Body {
    MailGang& life;
    void enter(Sim::Self&) { look(life.job); }
    void root(Sim::Self& self, u32 task) {
      for (u32 node = 0; node < 2; node++) {
        own(life.cells[task * 2 + node]);
        if (life.gang.parted()) life.gang.post(self, node == 0 ? Mail::root : Mail::request, node, task * 2 + node);
        else take(self, task * 2 + node);
      }
    }
    void take(Sim::Self&, u64 entry) { own(life.cells[entry]); }
    void drain(Sim::Self& self) {
      u64 entry;
      while (life.gang.queue(self.index).pop(entry)) take(self, entry);
    }
  };
  explicit MailGang(Sim& s) : sim(s) { launch<MailGang, &MailGang::conduct, 0>(sim, this); }
  void conduct(Sim::Self& self) {
    GangConfig config;
    config.workers = kWorkers;
    config.join = kJoin;
    config.sync = kSync;
    config.task_queue = TaskQueueKind::array;
    config.queue_capacity = 8;
    config.mail = true;
    config.mail_capacity = 8;
    config.request_batch = 2;
    config.notices = false;
    if (!gang.start(sim, config)) return;
    gang.ensure(kWorkers);
    gang.set_rules({.mail = true, .local = true});
    for (u32 phase = 0; phase < 2; phase++) {
      own(job);
      Body body{*this};
      gang.run(self, Phase::mark, kWorkers, kTasks, body);
      for (Cell& cell : cells) {
        good = good && look(cell) == 2;
        own(cell), cell.value = 0;
      }
    }
    gang.stop(self);
    stopped = true;
  }
  bool ok() { return good && stopped; }
  Sim& sim;
  Gang<Sim> gang;
  Cell cells[2 * kTasks], job;
  bool good = true, stopped = false;
};

SimConfig schedule(u64 seed, u32 traps) {
  SimConfig config;
  config.seed = seed;
  config.races = true;
  config.traps = traps;
  config.nodes = 2;
  config.steps_max = 300'000;
  config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
  config.changes_within = seed / 2 % 2 == 0 ? 60 : 600;
  if (seed % 4 == 2) config.faults = sim::FaultPlan::drawn(seed);
  return config;
}

// Empty, or what was found.
template <class Case> std::string hunt(u32 traps, u64 seeds) {
  Sim sim(schedule(1, traps));
  for (u64 seed = 1; seed <= seeds; seed++) {
    sim.reset(schedule(seed, traps));
    Case one(sim);
    sim::Outcome outcome = sim.run();
    if (outcome.end != sim::End::finished) return "seed " + std::to_string(seed) + ": " + outcome.text;
    if (!one.ok()) return "seed " + std::to_string(seed) + ": the end state is wrong";
  }
  return "";
}

template <class Case> sim::Exploration all_schedules(u32 preemptions) {
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.nodes = 2;
  limits.machine.preemptions_max = preemptions;
  limits.schedules_max = 200'000;
  return sim::explore<Case>(limits);
}

TEST(MailExplored, T4NodeQueue) {
  sim::Exploration found = all_schedules<NodeQueueHandsOver>(2);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_EQ(hunt<NodeQueueHandsOver>(0, 20'000), "");
}

TEST(MailExplored, T13N23Gangs) {
  sim::Exploration late = all_schedules<MailGang<2, JoinKind::late, SyncKind::futex>>(1);
  EXPECT_FALSE(late.failed()) << late.text();
  sim::Exploration fixed = all_schedules<MailGang<2, JoinKind::fixed, SyncKind::futex>>(1);
  EXPECT_FALSE(fixed.failed()) << fixed.text();
  EXPECT_EQ((hunt<MailGang<2, JoinKind::late, SyncKind::futex>>(0, 5'000)), "");
  EXPECT_EQ((hunt<MailGang<4, JoinKind::late, SyncKind::futex>>(0, 5'000)), "");
  EXPECT_EQ((hunt<MailGang<4, JoinKind::fixed, SyncKind::futex>>(0, 5'000)), "");
  EXPECT_EQ((hunt<MailGang<3, JoinKind::fixed, SyncKind::monitor>>(0, 5'000)), "");
}

// The plain idle counter: the phase ends over entries that nobody holds.
TEST(MailExplored, T13N23UncountedQueuesAreFound) {
  EXPECT_NE((hunt<MailGang<2, JoinKind::fixed, SyncKind::futex>>(bit(Trap::uncounted_queues), 5'000)), "");
}

} // namespace
} // namespace garner::pieces
