// Queues per node in a gang, on real threads whose machine says that it has three nodes. T13: a root posted to a node whose workers are all
// idle is not lost, and workers do not withdraw for what they may not take. T7 (late production), T10, T14, N25.
#include <map>
#include <mutex>

#include "crew.h"

namespace garner::test {
namespace {

struct ThreeNodes : Linux {
  using Linux::Linux;
  u32 nodes() const { return 3; }
  u32 node_of_worker(u32 worker) const { return worker % workers_on; }
  u32 distance(u32 from, u32 to) const { return from == to ? 10 : 10 + 10 * max_of(from, to); } // node 2 is nearer to 0 than to 1 by number only
  u32 current_node() const { return 0; }
  bool pin(Self& self, u32 node) {
    std::lock_guard guard(lock);
    pinned[self.index] = node;
    return true;
  }
  u32 workers_on = 3;
  std::mutex lock;
  std::map<u32, u32> pinned;
};
using Nodes = Hooked<ThreeNodes>;

GangConfig with_mail(u32 workers, SyncKind sync, JoinKind join) {
  GangConfig config;
  config.workers = workers;
  config.sync = sync;
  config.join = join;
  config.mail = true;
  config.mail_capacity = 8;
  config.root_flush = 4;
  return config;
}

// Roots are numbers to be counted; the task posts `roots` of them to `to`.
struct Posting : Draining<Nodes, Posting> {
  using Self = Nodes::Self;
  using Draining::Draining;
  u32 roots = 10, to = 0;
  std::function<void(Self&)> before = [](Self&) {};
  std::function<void(Self&)> slow = [](Self&) {};
  std::vector<std::atomic<u64>> taken = std::vector<std::atomic<u64>>(8);
  void root(Self& self, u32) {
    before(self);
    for (u32 i = 0; i < roots; i++) gang->post(self, Mail::root, to, i + 1);
  }
  void take(Self& self, u64) {
    taken[self.index]++;
    slow(self);
  }
  u64 all() const {
    u64 sum = 0;
    for (auto& n : taken) sum += n;
    return sum;
  }
};

constexpr std::pair<SyncKind, JoinKind> kWays[] = {{SyncKind::futex, JoinKind::fixed}, {SyncKind::futex, JoinKind::late}, {SyncKind::monitor, JoinKind::fixed}};

// The story of T13: the scanner posts when everybody else has offered. Whoever gets the task, the roots belong to another node.
TEST(NodeMail, T7T13RootsForIdleWorkersAreNotLost) {
  for (auto [sync, join] : kWays) {
    Crew<Nodes> crew(with_mail(3, sync, join));
    std::atomic<u32> offered{0};
    crew.machine.at = [&](Nodes::Self&, Spot spot) { offered += spot == Spot::offered; };
    crew.conduct([&](Nodes::Self& self) {
      crew.gang.set_rules({.mail = true, .local = true});
      for (u32 i = 0; i < 100; i++) {
        Posting body(crew.gang);
        offered = 0;
        bool late = join == JoinKind::late;
        body.before = [&](Nodes::Self& me) {
          body.to = (me.index + 1) % 3;
          for (u32 turns = 0; offered.load() < 2 && (!late || turns < 1000); turns++) me.yield();
        };
        crew.gang.run(self, Phase::mark, 3, 1, body);
        ASSERT_EQ(body.all(), 10u);
        if (!late) ASSERT_EQ(body.taken[body.to], 10u) << "T7: by the worker of the roots' node";
      }
    });
  }
}

// Only node 0 has work: the workers of nodes 1 and 2 offer once and stay idle.
TEST(NodeMail, T13NoWithdrawalForForeignRoots) {
  Crew<Nodes> crew(with_mail(3, SyncKind::futex, JoinKind::fixed));
  crew.conduct([&](Nodes::Self& self) {
    crew.gang.set_rules({.mail = true, .local = true});
    for (u32 i = 0; i < 20; i++) {
      Posting body(crew.gang);
      body.roots = 50;
      body.slow = [](Nodes::Self& me) { hold_ms(me, 1); };
      crew.gang.run(self, Phase::mark, 3, 1, body);
      EXPECT_EQ(body.taken[0].load(), 50u);
      for (u32 w = 1; w < 3; w++) EXPECT_EQ(crew.gang.stats(w).withdrawals, 0u);
    }
  });
}

// T8, T7: with take_any, or after the last resort's wait, the others help with whole roots.
TEST(NodeMail, T7ForeignRootsWhereTheRulesAllowThem) {
  for (bool any : {true, false}) {
    GangConfig config = with_mail(3, SyncKind::futex, JoinKind::fixed);
    config.last_resort_us = any ? 0 : 500;
    Crew<Nodes> crew(config);
    crew.conduct([&](Nodes::Self& self) {
      crew.gang.set_rules({.mail = true, .local = true, .take_any = any});
      u64 remote = 0;
      for (u32 i = 0; i < 10; i++) {
        Posting body(crew.gang);
        body.roots = 50;
        body.slow = [&body](Nodes::Self& me) { // the first of node 0's own worker lasts until others have helped, who may come late
          if (me.index == 0 && body.taken[0] == 1) within_a_minute(me, [&] { return body.taken[1] + body.taken[2] > 5; });
          hold_ms(me, 1);
        };
        crew.gang.run(self, Phase::mark, 3, 1, body);
        EXPECT_EQ(body.all(), 50u);
        for (u32 w = 1; w < 3; w++) remote += crew.gang.stats(w).roots_remote;
      }
      EXPECT_GT(remote, 50u);
    });
  }
}

// T14: nobody works on node 2: the nearest node that has workers does it, and it is the nearest by distance.
TEST(NodeMail, T14NodesWithoutWorkers) {
  for (auto [sync, join] : kWays)
    for (u32 workers : {1u, 2u, 4u}) {
      Crew<Nodes> crew(with_mail(workers, sync, join));
      crew.machine.workers_on = 2;
      crew.conduct([&](Nodes::Self& self) {
        crew.gang.set_rules({.mail = true, .local = true});
        for (u32 i = 0; i < 50; i++) {
          Posting body(crew.gang);
          body.to = 2;
          if (workers == 1) body.roots = 0; // alone there is nothing to share out: bodies do not post
          crew.gang.run(self, Phase::mark, workers, 3, body);
          ASSERT_EQ(body.all(), workers == 1 ? 0u : 30u);
          if (workers > 1) {
            EXPECT_EQ(crew.gang.server(2), 0u);
            EXPECT_EQ(crew.gang.server(1), 1u);
          }
          if (join == JoinKind::fixed)
            for (u32 w = 1; w < workers; w += 2) EXPECT_EQ(body.taken[w].load(), 0u);
        }
      });
    }
}

// T10: one worker is the final one, with queues per node as without.
TEST(NodeMail, T10OneFinalWorker) {
  for (auto [sync, join] : kWays)
    for (Conductor conductor : {Conductor::works, Conductor::waits}) {
      GangConfig config = with_mail(4, sync, join);
      config.conductor = conductor;
      Crew<Nodes> crew(config);
      std::atomic<u32> finals{0};
      crew.machine.at = [&](Nodes::Self&, Spot spot) { finals += spot == Spot::final; };
      crew.conduct([&](Nodes::Self& self) {
        crew.gang.set_rules({.mail = true, .local = true});
        for (u32 i = 0; i < 100; i++) {
          Posting body(crew.gang);
          body.to = i % 3;
          crew.gang.run(self, Phase::mark, 4, 5, body);
          ASSERT_EQ(body.all(), 50u);
        }
      });
      EXPECT_EQ(finals.load(), 100u); // all threads have ended: with late join the conductor does not wait for the final worker to say so
    }
}

TEST(NodeMail, N25WorkersArePinnedRoundTheNodes) {
  GangConfig config;
  config.workers = 8;
  config.pin = Pinning::rr;
  config.conductor = Conductor::waits;
  config.join = JoinKind::fixed;
  Crew<Nodes> crew(config);
  crew.conduct([&](Nodes::Self& self) {
    Trees<Nodes> body(crew.gang, 10);
    crew.gang.run(self, Phase::mark, 8, 8, body);
    std::lock_guard guard(crew.machine.lock);
    ASSERT_EQ(crew.machine.pinned.size(), 8u);
    for (auto [worker, node] : crew.machine.pinned) EXPECT_EQ(node, worker % 3);
    for (u32 w = 0; w < 8; w++) EXPECT_EQ(crew.gang.node(w), w % 3);
  });
}

TEST(NodeMail, T13LiteralExitIsRefused) {
  GangConfig config = with_mail(3, SyncKind::monitor, JoinKind::fixed);
  config.term_exit = TermExit::literal;
  ASSERT_NE(refusal(config), nullptr);
  EXPECT_NE(std::string(refusal(config)).find("T13"), std::string::npos);
}

} // namespace
} // namespace garner::test
