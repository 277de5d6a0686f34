// T13: for a second of virtual time only another node has work. Its roots wait in that node's queue, then its references in a deque: nobody of the
// other node withdraws for what it may not take, whether it spins or sleeps. With the look at foreign queues switched on it withdraws all the time.
#include <gtest/gtest.h>

#include "machine/sim/sim.h"
#include "work/gang.h"

namespace garner::simtest {
namespace {

constexpr u64 kSecond = 1'000'000'000;
constexpr u32 kWorkers = 4, kEntries = 50;

struct Foreign {
  struct Body {
    Foreign& life;
    void root(Sim::Self& self, u32) {
      life.home = life.gang.node(self.index);
      for (u32 i = 0; i < kEntries; i++)
        if (life.in_queue) life.gang.post(self, Mail::root, life.home, i + 1);
        else life.gang.queue(self.index).push(i + 1);
    }
    void take(Sim::Self& self, u64) {
      life.taken[self.index]++;
      for (u64 end = self.now() + 2 * life.span_ns / kEntries; self.now() < end;) self.yield(); // two of the node share them
    }
    void drain(Sim::Self& self) {
      u64 entry;
      while (life.gang.queue(self.index).pop(entry)) take(self, entry);
    }
  };
  Foreign(JoinKind join, bool queue, u64 span, u32 traps = 0) : sim(config(traps)), in_queue(queue), span_ns(span) {
    gang_config.workers = kWorkers;
    gang_config.join = join;
    gang_config.task_queue = TaskQueueKind::array;
    gang_config.mail = true;
    gang_config.mail_capacity = 16;
    sim.start([](void* at) { static_cast<Foreign*>(at)->conduct(); }, this);
    finished = sim.run().end == sim::End::finished;
  }
  static SimConfig config(u32 traps) {
    SimConfig c;
    c.nodes = 2;
    c.cores_per_node = 2;
    c.traps = traps;
    c.costs.yield = 20'000'000; // coarse, so that a second is soon over
    return c;
  }
  void conduct() {
    Sim::Self self(sim, 0);
    if (!gang.start(sim, gang_config)) return;
    gang.ensure(kWorkers);
    gang.set_rules({.mail = true, .local = true});
    Body body{*this};
    gang.run(self, Phase::mark, kWorkers, 1, body);
    ns = gang.last().end_ns - gang.last().start_ns;
    for (u32 w = 0; w < kWorkers; w++) {
      if (gang.node(w) == home) continue;
      foreign_taken += taken[w];
      if (gang.took_part(w)) withdrawals += gang.stats(w).withdrawals, idle++;
    }
    gang.stop(self);
  }
  Sim sim;
  GangConfig gang_config;
  Gang<Sim> gang;
  bool in_queue, finished = false;
  u64 span_ns;
  u32 home = 0, idle = 0;
  u64 taken[kWorkers] = {}, foreign_taken = 0, withdrawals = 0, ns = 0;
};

TEST(ForeignWork, T13ASecondOfItMakesNobodyWithdraw) {
  for (JoinKind join : {JoinKind::fixed, JoinKind::late})
    for (bool in_queue : {true, false}) {
      const Foreign only(join, in_queue, kSecond);
      EXPECT_TRUE(only.finished);
      EXPECT_GE(only.ns, kSecond) << "there was no second of it";
      EXPECT_EQ(only.idle, 2u);
      EXPECT_EQ(only.withdrawals, 0u);
      EXPECT_EQ(only.foreign_taken, 0u);
      if (in_queue) EXPECT_GT(Foreign(join, true, kSecond / 1000, 1u << u32(Trap::foreign_queues)).withdrawals, 1000u) << "withdrawing for foreign roots is not noticed";
    }
}

} // namespace
} // namespace garner::simtest
