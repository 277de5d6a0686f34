// The explorer finds a wake-up that falls between a look and a park, and shows that reading the word first cures it.
#include <gtest/gtest.h>

#include <string>

#include "machine/sim/explore.h"

namespace garner {
namespace {

template <bool kWordFirst> struct Handover {
  explicit Handover(Sim& machine) : sim(machine) {
    machine.start(&wait, this);
    machine.start(&give, this);
  }
  static void wait(void* at) {
    auto& one = *static_cast<Handover*>(at);
    Sim::Self self(one.sim, 0);
    while (true) {
      u32 seen = kWordFirst ? one.change.load_acquire() : 0;
      if (one.ready.load_acquire() != 0) return;
      if (!kWordFirst) seen = one.change.load_acquire(); // too late: may already be the giver's
      one.sim.park(self, one.change, seen);
    }
  }
  static void give(void* at) {
    auto& one = *static_cast<Handover*>(at);
    Sim::Self self(one.sim, 1);
    one.ready.store_release(1);
    one.change.fetch_add_acq_rel(1);
    one.sim.wake(self, one.change, 1);
  }
  bool ok() { return true; }
  Sim& sim;
  Sim::Atomic<u32> ready{0}, change{0};
};

TEST(ExplorerFindsMissedWake, WhenTheWordIsReadAfterTheLook) {
  sim::Exploration found = sim::explore<Handover<false>>({});
  EXPECT_TRUE(found.failed());
  EXPECT_EQ(found.end(), sim::End::deadlock);
  EXPECT_NE(std::string(found.text()).find("parked on word"), std::string::npos) << found.text();
  EXPECT_TRUE(sim::replay<Handover<false>>({}, found.choices()).failed());
}

TEST(ExplorerFindsMissedWake, NotWhenItIsReadBefore) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration found = sim::explore<Handover<true>>(limits);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
}

} // namespace
} // namespace garner
