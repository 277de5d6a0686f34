// N2, N7, N8, N9, N10, N16, N17, N23, T4, T13: every lock-free piece with the race detector: all schedules of the small case within its bound on preemptions, and
// GARNER_SCHEDULES random ones (100,000 if not set: half with dice, half with priorities). GARNER_SCHEDULE_SEED=S plays one of them.
#include <gtest/gtest.h>

#include "pieces.h"

namespace garner::pieces {
namespace {

class Pieces : public ::testing::TestWithParam<Piece> {};

TEST_P(Pieces, EveryScheduleOfTheSmallCase) {
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.nodes = GetParam().nodes;
  limits.machine.preemptions_max = GetParam().preemptions;
  limits.schedules_max = 400'000;
  sim::Exploration found = GetParam().explore(limits);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted()) << found.schedules();
  RecordProperty("schedules", int(found.schedules()));
}

TEST_P(Pieces, RandomSchedules) {
  const u64 one = number_from("GARNER_SCHEDULE_SEED", 0), many = schedules_wanted();
  Sim sim(schedule(1, GetParam().nodes));
  for (u64 seed = one != 0 ? one : 1; seed <= (one != 0 ? one : many); seed++) {
    sim.reset(schedule(seed, GetParam().nodes));
    sim::Outcome outcome{};
    ASSERT_TRUE(GetParam().run(sim, outcome)) << "GARNER_SCHEDULE_SEED=" << seed << ": " << outcome.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pieces, ::testing::ValuesIn(all()), [](const auto& one) {
  std::string name = one.param.name;
  for (char& c : name)
    if (c == ' ' || c == ',') c = '_';
  return name;
});

} // namespace
} // namespace garner::pieces
