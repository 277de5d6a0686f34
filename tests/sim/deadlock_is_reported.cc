// A run in which nobody can go on ends with a line that says who waits for what; a run without end stops at its budget.
#include <gtest/gtest.h>

#include <string>

#include "team.h"

namespace garner {
namespace {

class DeadlockIsReported : public testing::TestWithParam<sim::Picker> {
 protected:
  SimConfig config() {
    SimConfig config;
    config.picker = GetParam();
    config.steps_max = 10'000;
    return config;
  }
};

TEST_P(DeadlockIsReported, WhenEveryFiberIsParked) {
  Sim machine(config());
  Team team(machine);
  Sim::Atomic<u32> at{5};
  team.start([&] {
    Sim::Self self(machine, 3);
    machine.park(self, at, 5);
  });
  team.start([] {}); // has ended, so is not in the way
  const Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::deadlock);
  EXPECT_EQ(std::string(outcome.text).find("deadlock: 1 fiber waits for ever; fiber 0 (worker 3) parked on word #1 = 5 since"), 0u)
      << outcome.text;
}

TEST_P(DeadlockIsReported, WhenTwoLocksAreTakenCrosswise) {
  Sim machine(config());
  Team team(machine);
  Sim::Lock left, right;
  Sim::Atomic<u32> both{0};
  auto cross = [&](Sim::Lock& first, Sim::Lock& second, u32 number) {
    Sim::Self self(machine, number);
    first.lock();
    both.fetch_add_relaxed(1);
    while (both.load_relaxed() != 2) self.yield();
    second.lock();
  };
  team.start([&] { cross(left, right, 0); });
  team.start([&] { cross(right, left, 1); });
  const Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::deadlock);
  const std::string text = outcome.text;
  EXPECT_NE(text.find("2 fibers wait for ever"), std::string::npos) << text;
  EXPECT_NE(text.find("fiber 0 (worker 0) waits for lock #"), std::string::npos) << text;
  EXPECT_NE(text.find("held by fiber 0"), std::string::npos) << text;
  EXPECT_NE(text.find("held by fiber 1"), std::string::npos) << text;
}

TEST_P(DeadlockIsReported, WhenALockIsTakenTwice) {
  Sim machine(config());
  Team team(machine);
  Sim::Lock lock;
  team.start([&] {
    lock.lock();
    lock.lock();
  });
  EXPECT_EQ(machine.run().end, sim::End::deadlock);
}

TEST_P(DeadlockIsReported, ASpinWithoutEndUsesUpTheBudget) {
  Sim machine(config());
  Team team(machine);
  Sim::Atomic<u32> never{0};
  team.start([&] {
    Sim::Self self(machine, 0);
    while (never.load_acquire() == 0) self.pause();
  });
  team.start([&] { // plain verbs only: counted by virtual time
    Sim::Self self(machine, 1);
    while (true) self.read(0, 1 * MiB);
  });
  const Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::budget);
  EXPECT_EQ(std::string(outcome.text).find("budget: 10000 visible operations"), 0u) << outcome.text;
  machine.reset(config()); // and the machine can be used again
  EXPECT_EQ(machine.run().end, sim::End::finished);
}

INSTANTIATE_TEST_SUITE_P(Pickers, DeadlockIsReported, testing::Values(sim::Picker::earliest, sim::Picker::seeded, sim::Picker::every));

} // namespace
} // namespace garner
