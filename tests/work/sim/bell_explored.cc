// The two stories of bell.h, every interleaving: no sleeper misses an entry that somebody published, nor the end of the phase.
#include <gtest/gtest.h>

#include "machine/sim/explore.h"
#include "work/deque.ipp"
#include "work/termination.h"

namespace garner {
namespace {

// Story B: a worker that falls asleep, in the order of gang.ipp's doze(), against the last offer.
template <bool kMarkFirst> struct End {
  explicit End(Sim& s) : sim(s) {
    bell.start(sim);
    term.open(1, 2);
    sim.start(&sleeper, this);
    sim.start(&last, this);
  }
  static void sleeper(void* at) {
    auto& c = *static_cast<End*>(at);
    Sim::Self self(c.sim, 0);
    if (Termination<Sim>::over(c.term.offer())) return;
    while (Termination<Sim>::open_for(c.term.look(), 1)) {
      bool marked = kMarkFirst ? c.term.doze(1) : false;
      u32 heard = c.bell.listen();
      if (!kMarkFirst) marked = c.term.doze(1);
      if (marked) c.bell.sleep(self, heard);
      c.bell.leave();
    }
  }
  static void last(void* at) {
    auto& c = *static_cast<End*>(at);
    Sim::Self self(c.sim, 1);
    u64 word = c.term.offer();
    if (Termination<Sim>::over(word) && Termination<Sim>::dozed(word)) c.bell.ring(self, ~0u);
  }
  bool ok() { return Termination<Sim>::over(term.look()); }
  Sim& sim;
  Bell<Sim> bell;
  Termination<Sim> term;
};

TEST(BellExplored, TheEndReachesASleeper) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration found = sim::explore<End<false>>(limits);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
}

TEST(BellExplored, NotIfItMarksBeforeItListens) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  EXPECT_EQ(sim::explore<End<true>>(limits).end(), sim::End::deadlock);
}

// Story A: a worker that falls asleep against an owner that publishes.
struct Publish {
  explicit Publish(Sim& s) : sim(s) {
    bell.start(sim);
    EXPECT_TRUE(deque.start(sim, 4, Order::owner_lifo));
    sim.start(&sleeper, this);
    sim.start(&owner, this);
  }
  ~Publish() { deque.stop(); }
  static void sleeper(void* at) {
    auto& c = *static_cast<Publish*>(at);
    Sim::Self self(c.sim, 0);
    while (!c.deque.looks_stealable()) {
      u32 heard = c.bell.listen();
      if (!c.deque.looks_stealable_seq_cst()) c.bell.sleep(self, heard);
      c.bell.leave();
    }
    c.awake = true;
  }
  static void owner(void* at) {
    auto& c = *static_cast<Publish*>(at);
    Sim::Self self(c.sim, 1);
    c.deque.bind(&c.bell, &self);
    c.deque.push(1);
    c.deque.push(2); // publishes the first
    c.deque.bind(nullptr, nullptr);
  }
  bool ok() { return awake; }
  Sim& sim;
  Bell<Sim> bell;
  Deque<Sim> deque;
  bool awake = false;
};

TEST(BellExplored, APublishedEntryReachesASleeper) {
  sim::Limits limits;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration found = sim::explore<Publish>(limits);
  EXPECT_FALSE(found.failed()) << found.text();
  EXPECT_TRUE(found.exhausted());
}

} // namespace
} // namespace garner
