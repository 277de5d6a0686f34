// The explorer finds the schedule in which two non-atomic increments lose one, and replays it.
#include <gtest/gtest.h>

#include <string>

#include "machine/sim/explore.h"

namespace garner {
namespace {

struct Lost {
  explicit Lost(Sim& machine) {
    machine.start(&add, this);
    machine.start(&add, this);
  }
  static void add(void* self) {
    auto& count = static_cast<Lost*>(self)->count;
    count.store_relaxed(count.load_relaxed() + 1);
  }
  bool ok() { return count.load_relaxed() == 2; }
  Sim::Atomic<u32> count{0};
};

TEST(ExplorerFindsLostUpdate, AndReplaysIt) {
  sim::Exploration found = sim::explore<Lost>({});
  EXPECT_TRUE(found.failed());
  EXPECT_FALSE(found.exhausted());
  EXPECT_EQ(found.end(), sim::End::finished);
  EXPECT_LE(found.schedules(), 6u);
  EXPECT_NE(std::string(found.text()).find("the end state is wrong"), std::string::npos) << found.text();
  sim::Exploration again = sim::replay<Lost>({}, found.choices());
  EXPECT_TRUE(again.failed());
  EXPECT_EQ(again.schedules(), 1u);
}

TEST(ExplorerFindsLostUpdate, NotWithoutPreemptions) {
  sim::Limits limits;
  limits.machine.preemptions_max = 0;
  sim::Exploration found = sim::explore<Lost>(limits);
  EXPECT_FALSE(found.failed());
  EXPECT_TRUE(found.exhausted());
  EXPECT_EQ(found.schedules(), 2u); // one fiber whole, then the other
}

// The same through the verbs: a forwarding installed without a compare-and-swap is overwritten.
struct TwoForwardings {
  explicit TwoForwardings(Sim& machine) : sim(machine), header(machine.reserve(4096, 4096)) {
    machine.start(&evacuate, this);
    machine.start(&evacuate, this);
  }
  static void evacuate(void* at) {
    auto& one = *static_cast<TwoForwardings*>(at);
    Sim::Self self(one.sim, one.next++);
    if (self.header(Header{one.header}) != 0) return;
    self.set_header(Header{one.header}, 100 + self.index);
    one.copies++;
  }
  bool ok() { return copies == 1; }
  Sim& sim;
  word header;
  u32 next = 0, copies = 0;
};

TEST(ExplorerFindsLostUpdate, InAHeaderWrittenWithoutForward) {
  sim::Exploration found = sim::explore<TwoForwardings>({});
  EXPECT_TRUE(found.failed()) << found.text();
}

} // namespace
} // namespace garner
