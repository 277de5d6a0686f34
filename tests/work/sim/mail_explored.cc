// T4, T13, N23: queues per node where more workers meet than the small cases of mail_pieces.h have: a queue of two producers and two consumers, gangs of
// three and four. All schedules within a bound where that ends, GARNER_SCHEDULES random ones of the queue and of each gang.
#include <gtest/gtest.h>

#include "mail_pieces.h"

namespace garner::pieces {
namespace {

// Empty, or what was found.
template <class Case> std::string hunt(u64 seeds) {
  Sim sim(schedule(1, 2));
  for (u64 seed = 1; seed <= seeds; seed++) {
    sim.reset(schedule(seed, 2));
    Case one(sim);
    sim::Outcome outcome = sim.run();
    if (outcome.end != sim::End::finished) return "seed " + std::to_string(seed) + ": " + outcome.text;
    if (!one.ok()) return "seed " + std::to_string(seed) + ": the end state is wrong";
  }
  return "";
}

template <class Case> void all_schedules(u32 preemptions) {
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.nodes = 2;
  limits.machine.preemptions_max = preemptions;
  limits.schedules_max = 400'000;
  sim::Exploration found = sim::explore<Case>(limits);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted()) << found.schedules();
}

TEST(MailExplored, T4NodeQueue) {
  using Queue = NodeQueueHandsOver<3, 2, 2, 2>;
  all_schedules<Queue>(2);
  EXPECT_EQ(hunt<Queue>(schedules_wanted()), "");
}

TEST(MailExplored, T13N23Gangs) {
  const u64 each = schedules_wanted();
  all_schedules<MailGang<3, JoinKind::late, SyncKind::futex, 1>>(0);
  all_schedules<MailGang<3, JoinKind::fixed, SyncKind::futex, 1, Posts::both, 1>>(0);
  all_schedules<MailGang<3, JoinKind::fixed, SyncKind::monitor, 1, Posts::both, 1>>(0);
  EXPECT_EQ((hunt<MailGang<4, JoinKind::late, SyncKind::futex>>(each)), "");
  EXPECT_EQ((hunt<MailGang<4, JoinKind::fixed, SyncKind::futex>>(each)), "");
  EXPECT_EQ((hunt<MailGang<3, JoinKind::fixed, SyncKind::monitor>>(each)), "");
}

} // namespace
} // namespace garner::pieces
