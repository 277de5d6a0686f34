// N16: a dequeue that comes too late, for a phase that is past, gets nothing: not a task of the next phase, not half a list.
#include "crew.h"

namespace garner::test {
namespace {

class LateDequeue : public ::testing::TestWithParam<TaskQueueKind> {};

TEST_P(LateDequeue, N16OldEpochGetsNothing) {
  Linux machine;
  Linux::Self self(machine, 0);
  Monitor<Linux> lock;
  lock.start(machine, LockKind::posix);
  TaskQueue<Linux> queue;
  ASSERT_TRUE(queue.start(machine, GetParam(), lock));
  u64 waited = 0;
  queue.open(self, 1, 3);
  EXPECT_EQ(queue.take(self, 1, waited), 0u);
  queue.open(self, 2, 5);
  EXPECT_EQ(queue.take(self, 1, waited), kNoTask);
  queue.open(self, 3, 5); // the same chain as epoch 1
  EXPECT_EQ(queue.take(self, 1, waited), kNoTask);
  for (u32 i = 0; i < 5; i++) EXPECT_EQ(queue.take(self, 3, waited), i);
  queue.stop();
}

// Two stragglers ask for the last epoch, and the one before, all the time; two workers take; every task still comes once.
TEST_P(LateDequeue, N16StragglersWhileTheQueueIsFilled) {
  constexpr u32 kTasks = 40, kEpochs = 4'000;
  Linux machine;
  Linux::Self self(machine, 0);
  Monitor<Linux> lock;
  lock.start(machine, LockKind::posix);
  TaskQueue<Linux> queue;
  ASSERT_TRUE(queue.start(machine, GetParam(), lock));
  std::atomic<u32> epoch{0}, taken{0};
  std::atomic<u64> stolen{0};
  std::vector<std::atomic<u32>> runs(kTasks);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      Linux::Self me(machine, t);
      u64 waited = 0;
      while (true) {
        u32 e = epoch.load();
        if (e == kEpochs) break;
        if (t >= 2) { // straggler
          if (me.random.one_in(8)) me.yield();
          if (e > t) stolen += queue.take(me, e - (t - 1), waited) != kNoTask;
          continue;
        }
        u32 task = queue.take(me, e, waited);
        if (task == kNoTask) {
          me.yield();
          continue;
        }
        runs[task]++;
        taken++;
      }
    });
  for (u32 e = 1; e < kEpochs; e++) {
    queue.open(self, e, kTasks);
    epoch = e;
    while (taken.load() < kTasks) self.yield();
    for (u32 i = 0; i < kTasks; i++) ASSERT_EQ(runs[i].exchange(0), 1u) << "epoch " << e;
    taken = 0;
  }
  epoch = kEpochs;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(stolen.load(), 0u) << "a straggler got a task of a phase that is not its own";
  queue.stop();
}

INSTANTIATE_TEST_SUITE_P(Forms, LateDequeue, ::testing::Values(TaskQueueKind::monitor, TaskQueueKind::msqueue, TaskQueueKind::array));

// A worker is held between leaving termination and asking the queue, over a whole next phase.
TEST(Gang, N16WorkerHeldBeforeItsLastDequeue) {
  for (auto kind : {TaskQueueKind::monitor, TaskQueueKind::msqueue, TaskQueueKind::array}) {
    GangConfig config;
    config.workers = 4;
    config.task_queue = kind;
    config.join = JoinKind::fixed;
    Crew<Real> crew(config);
    std::atomic<bool> armed{false}, held{false};
    std::atomic<u32> holds{0}, released{0};
    crew.machine.at = [&](Real::Self& self, Spot spot) {
      if (spot != Spot::left || self.index != 3 || !armed.exchange(false)) return;
      u32 mine = ++holds;
      held = true;
      while (released.load() < mine) self.yield();
    };
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 50);
      for (u32 round = 0; round < 200; round++) {
        u64 before = body.leaves();
        held = false;
        armed = true;
        crew.gang.run(self, Phase::mark, 4, 8, body); // ends although worker 3 is held
        hold_until(self, held);
        u64 leaves_of_3 = body.counts[3].leaves;
        crew.gang.run(self, Phase::mark, 3, 8, body); // a whole phase meanwhile
        std::thread release([&] { released++; });
        crew.gang.run(self, Phase::mark, 3, 8, body); // and it wakes up in the middle of this one
        release.join();
        ASSERT_EQ(body.leaves() - before, 3 * 8 * 50u);
        ASSERT_EQ(body.counts[3].leaves, leaves_of_3) << "worker 3 worked for a phase that is not its own";
      }
    });
  }
}

} // namespace
} // namespace garner::test
