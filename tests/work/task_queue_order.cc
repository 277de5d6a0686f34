// N6: tasks come out in the order root*, steal{N}, final, in all three forms; in a phase each of N workers takes one steal task and
// exactly one is the final worker.
#include "crew.h"

namespace garner::test {
namespace {

TEST(TaskQueue, N6FirstInFirstOut) {
  for (auto kind : {TaskQueueKind::monitor, TaskQueueKind::msqueue, TaskQueueKind::array}) {
    Linux machine;
    Linux::Self self(machine, 0);
    Monitor<Linux> lock;
    lock.start(machine, LockKind::posix);
    TaskQueue<Linux> queue;
    ASSERT_TRUE(queue.start(machine, kind, lock));
    u64 waited = 0;
    EXPECT_EQ(queue.take(self, 1, waited), kNoTask);
    for (u32 epoch = 1; epoch < 6; epoch++) {
      u32 tasks = epoch * 7 - 7; // none at first
      queue.open(self, epoch, tasks);
      for (u32 i = 0; i < tasks; i++) EXPECT_EQ(queue.take(self, epoch, waited), i);
      EXPECT_EQ(queue.take(self, epoch, waited), kNoTask);
      EXPECT_EQ(queue.take(self, epoch, waited), kNoTask);
    }
    queue.stop();
  }
}

TEST(Gang, N6OneFinalWorkerPerPhaseInEveryMode) {
  for (GangConfig config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    std::atomic<u32> finals{0}, offers_before_final{0}, offered{0};
    crew.machine.at = [&](Real::Self&, Spot spot) {
      if (spot == Spot::offered) offered++;
      if (spot == Spot::final) finals++;
    };
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 20);
      for (u32 phase = 1; phase <= 200; phase++) {
        crew.gang.run(self, Phase::mark, 4, phase % 5, body);
        // A working conductor may return while the final worker is still on its way home (late), never before it was chosen.
        within_a_minute(self, [&] { return finals.load() >= phase; });
        ASSERT_EQ(finals.load(), phase);
      }
    });
    EXPECT_EQ(finals.load(), 200u);
  }
}

} // namespace
} // namespace garner::test
