// N16: ten thousand phases by four workers, in each form of the queue and each way of joining: every task exactly once.
#include "crew.h"

namespace garner::test {
namespace {

template <class M> struct Once {
  using Self = typename M::Self;
  std::vector<std::atomic<u32>> runs = std::vector<std::atomic<u32>>(64);
  void root(Self&, u32 task) { runs[task].fetch_add(1, std::memory_order_relaxed); }
  void drain(Self&) {}
  void take(Self&, u64) {}
};

template <class M> class TaskQueueEachOnce : public ::testing::Test {};
TYPED_TEST_SUITE(TaskQueueEachOnce, Machines);

TYPED_TEST(TaskQueueEachOnce, N16) {
  for (GangConfig config : all_configs(4)) {
    if (config.conductor == Conductor::waits && config.join == JoinKind::late) continue; // in random_phases
    SCOPED_TRACE(describe(config));
    u32 phases = config.sync == SyncKind::futex ? 10'000 : 1'000;
    Crew<TypeParam> crew(config);
    crew.conduct([&](auto& self) {
      Once<TypeParam> body;
      for (u32 phase = 0; phase < phases; phase++) {
        u32 tasks = u32(self.random.below(12));
        crew.gang.run(self, Phase::mark, 4, tasks, body);
        for (u32 t = 0; t < body.runs.size(); t++) ASSERT_EQ(body.runs[t].exchange(0), t < tasks ? 1u : 0u) << "phase " << phase << " task " << t;
      }
    });
  }
}

TEST(TaskQueueEachOnceManyTasks, N16GroupsWhenThereAreMoreThanTheWordCounts) {
  GangConfig config;
  config.workers = 3;
  Crew<Real> crew(config);
  crew.conduct([&](Real::Self& self) {
    for (u32 tasks : {TaskQueue<Real>::kTasksMax - 1, TaskQueue<Real>::kTasksMax, TaskQueue<Real>::kTasksMax + 1, 300'001u}) {
      Once<Real> body;
      body.runs = std::vector<std::atomic<u32>>(tasks);
      crew.gang.run(self, Phase::mark, 3, tasks, body);
      u64 sum = 0;
      for (u32 t = 0; t < tasks; t++) ASSERT_EQ(body.runs[t].load(), 1u) << t;
      for (u32 w = 0; w < 3; w++)
        if (crew.gang.took_part(w)) sum += crew.gang.stats(w).tasks;
      EXPECT_EQ(sum, tasks);
    }
  });
}

// A group is of tasks far from each other: the largest come first, and one worker must not get them all.
TEST(TaskQueueEachOnceManyTasks, N16NeighboursAreOfDifferentGroups) {
  struct Neighbours {
    using Self = Real::Self;
    struct alignas(64) Seen { u64 last = ~u64(0) - 1, neighbours = 0, tasks = 0; };
    Seen seen[3];
    void root(Self& self, u32 task) {
      Seen& mine = seen[self.index];
      mine.neighbours += task == mine.last + 1;
      mine.last = task;
      mine.tasks++;
    }
    void drain(Self&) {}
    void take(Self&, u64) {}
  };
  GangConfig config;
  config.workers = 3;
  Crew<Real> crew(config);
  crew.conduct([&](Real::Self& self) {
    for (u32 tasks : {70'000u, 300'001u}) {
      Neighbours body;
      crew.gang.run(self, Phase::mark, 3, tasks, body);
      EXPECT_EQ(body.seen[0].tasks + body.seen[1].tasks + body.seen[2].tasks, tasks);
      for (const Neighbours::Seen& worker : body.seen) EXPECT_LE(worker.neighbours, 1u) << "of " << worker.tasks; // from the end of one group to the next may be a step
    }
  });
}

} // namespace
} // namespace garner::test
