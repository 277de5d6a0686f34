// N5, N15: the monitor excludes, loses no notify, and counts; in monitor mode a phase takes the lock at least R+N+1 times, in futex
// mode with a lock-free queue never.
#include "crew.h"

namespace garner::test {
namespace {

class MonitorLock : public ::testing::TestWithParam<LockKind> {};

TEST_P(MonitorLock, N5ExcludesAndCounts) {
  constexpr u32 kThreads = 4, kTurns = 20'000;
  Real machine;
  Monitor<Real> monitor;
  monitor.start(machine, GetParam());
  u64 value = 0; // plain: the sanitizer sees whether the lock orders it
  Real::Self owner(machine, kThreads);
  monitor.lock(owner);
  std::vector<std::thread> threads;
  for (u32 t = 0; t < kThreads; t++)
    threads.emplace_back([&, t] {
      Real::Self self(machine, t);
      for (u32 i = 0; i < kTurns; i++) {
        monitor.lock(self);
        u64 seen = value;
        if (i % 512 == 0) self.yield(); // an owner that is put aside makes the others wait
        value = seen + 1;
        monitor.unlock(self);
      }
    });
  within_a_minute(owner, [&] { return machine.parks != 0; }); // threads that follow each other without meeting would never wait
  monitor.unlock(owner);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(value, u64(kThreads) * kTurns);
  LockCounts counts = monitor.counts(owner);
  EXPECT_EQ(counts.acquisitions, u64(kThreads) * kTurns + 1);
  EXPECT_LE(counts.contended, counts.acquisitions);
  EXPECT_GT(counts.contended, 0u);
  EXPECT_GT(counts.wait_ns, 0u);
}

TEST_P(MonitorLock, N5NoNotifyIsLost) {
  Real machine;
  Monitor<Real> monitor;
  monitor.start(machine, GetParam());
  u32 ball = 0; // whose turn it is; plain
  auto play = [&](u32 me) {
    Real::Self self(machine, me);
    for (u32 i = 0; i < 3000; i++) {
      monitor.lock(self);
      while (ball != me) monitor.wait(self);
      ball = (me + 1) % 3;
      monitor.notify_all(self);
      monitor.unlock(self);
    }
  };
  std::thread a(play, 0), b(play, 1), c(play, 2);
  a.join(), b.join(), c.join();
  EXPECT_EQ(ball, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MonitorLock, ::testing::Values(LockKind::spin_cas_then_posix, LockKind::posix));

TEST(Gang, N5AcquisitionsPerPhase) {
  constexpr u32 kTasks = 10, kWorkers = 4, kPhases = 50;
  for (auto lock : {LockKind::spin_cas_then_posix, LockKind::posix}) {
    GangConfig config;
    config.workers = kWorkers;
    config.task_queue = TaskQueueKind::monitor;
    config.sync = SyncKind::monitor;
    config.join = JoinKind::fixed;
    config.lock = lock;
    config.conductor = Conductor::waits;
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 10);
      u64 before = crew.gang.gc_lock(self).acquisitions;
      for (u32 i = 0; i < kPhases; i++) crew.gang.run(self, Phase::mark, kWorkers, kTasks, body);
      EXPECT_GE(crew.gang.gc_lock(self).acquisitions - before, u64(kPhases) * (kTasks + kWorkers + 1));
      EXPECT_GE(crew.gang.vm_lock(self).acquisitions, u64(kPhases) * 2);
    });
  }
}

TEST(Gang, N5N15NoLockIsTakenInFutexMode) {
  for (GangConfig config : all_configs(4)) {
    if (config.sync != SyncKind::futex || config.task_queue == TaskQueueKind::monitor) continue;
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 100);
      for (u32 i = 0; i < 50; i++) crew.gang.run(self, Phase::mark, 4, 8, body);
      EXPECT_EQ(crew.gang.gc_lock(self).acquisitions, 0u);
      EXPECT_EQ(crew.gang.vm_lock(self).acquisitions, 0u);
    });
  }
}

} // namespace
} // namespace garner::test
