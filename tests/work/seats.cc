// Seats: each collector thread on a processor of its own, none on the conductor's, where threads are as many as processors (work/seats.h).
// The rules on a machine that records what is asked of it; the effect on the real one.
#include <sched.h>

#include <map>
#include <mutex>

#include "crew.h"

namespace garner::test {
namespace {

// So many processors; who may run where is written down here and not told to the system. Threads are numbered by whoever enters them, or really.
struct Recorded : Linux {
  using Linux::Linux;
  u32 processors() const { return count; }
  u32 processor() const { return conductor_at; }
  u32 thread() const { return as_thread != 0 ? as_thread : Linux::thread(); }
  u64 affinity(u32 thread) {
    std::lock_guard guard(lock);
    return may.try_emplace(thread, own_mask != 0 ? own_mask : count >= 64 ? ~u64(0) : (u64(1) << count) - 1).first->second;
  }
  bool set_affinity(u32 thread, u64 processors) {
    std::lock_guard guard(lock);
    calls++;
    if (calls == refused_call) return false;
    may[thread] = processors;
    return true;
  }
  u32 nodes() const { return many; }
  u32 count = 4, many = 1, conductor_at = 0, as_thread = 0;
  u64 own_mask = 0; // of new threads; 0: all processors
  u32 calls = 0, refused_call = 0;
  std::mutex lock;
  std::map<u32, u64> may; // thread -> processors
};

constexpr u32 kFirstThread = 100; // worker i is thread 100 + i

struct Row {
  Recorded machine;
  Seats<Recorded> seats;
  u32 workers = 4;
  void enter(u32 first = 1) {
    for (u32 i = first; i < workers; i++) machine.as_thread = kFirstThread + i, seats.enter(i);
  }
  // Each thread on one processor, no two on the same, none on those that are taken.
  bool seated(u64 taken) const {
    for (auto [thread, processors] : machine.may) {
      if (__builtin_popcountll(processors) != 1 || (processors & taken) != 0) return false;
      taken |= processors;
    }
    return true;
  }
};

TEST(Seats, NobodySitsOnTheConductorsProcessorNorTwoOnOne) {
  Row row;
  row.workers = row.machine.count = 7;
  row.seats.start(row.machine, 1, row.workers, true);
  row.enter();
  Random random(1);
  for (u32 i = 0; i < 1000; i++) {
    row.machine.conductor_at = u32(random.below(row.workers));
    row.seats.assign();
    ASSERT_TRUE(row.seated(u64(1) << row.machine.conductor_at)) << "collection " << i;
  }
}

TEST(Seats, NobodyMovesWhoNeedNot) {
  Row row;
  row.seats.start(row.machine, 1, row.workers, true);
  row.enter();
  row.seats.assign();
  EXPECT_EQ(row.machine.calls, 3u) << "one for each worker but the conductor";
  for (u32 i = 0; i < 10; i++) row.seats.assign();
  EXPECT_EQ(row.machine.calls, 3u) << "the conductor has not moved";
  const std::map<u32, u64> before = row.machine.may;
  row.machine.conductor_at = 2;
  row.seats.assign();
  EXPECT_EQ(row.machine.calls, 4u);
  u32 moved = 0;
  for (auto [thread, processors] : row.machine.may) {
    if (processors == before.at(thread)) continue;
    moved++;
    EXPECT_EQ(before.at(thread), u64(1) << 2) << "only who sat where the conductor is now";
  }
  EXPECT_EQ(moved, 1u);
}

// Threads are made when they are needed: whoever is there is seated, whoever comes later the next time.
TEST(Seats, WhoComesLaterIsSeatedTheNextTime) {
  Row row;
  row.seats.start(row.machine, 1, row.workers, true);
  row.seats.assign();
  EXPECT_EQ(row.machine.calls, 0u);
  row.machine.as_thread = kFirstThread + 2, row.seats.enter(2);
  row.seats.assign();
  EXPECT_EQ(row.machine.calls, 1u);
  row.machine.conductor_at = 1;
  row.machine.as_thread = kFirstThread + 1, row.seats.enter(1);
  row.machine.as_thread = kFirstThread + 3, row.seats.enter(3);
  row.seats.assign();
  EXPECT_TRUE(row.seated(u64(1) << 1));
}

TEST(Seats, AWaitingConductorTakesNone) {
  Row row;
  row.seats.start(row.machine, 0, row.workers, true);
  row.enter(0);
  for (u32 at = 0; at < 4; at++) {
    row.machine.conductor_at = at;
    row.seats.assign();
    EXPECT_EQ(row.machine.calls, 4u) << "four threads, four processors, and nobody ever moves";
    EXPECT_TRUE(row.seated(0));
  }
}

// Whichever call is refused: everybody may run where he might before, and nobody is asked again.
TEST(Seats, ARefusalFreesEverybodyForGood) {
  for (u32 refused = 1; refused <= 6; refused++) {
    Row row;
    row.seats.start(row.machine, 1, row.workers, true);
    row.enter();
    row.machine.refused_call = refused;
    for (u32 i = 0; i < 10; i++) {
      row.machine.conductor_at = i % 4;
      row.seats.assign();
    }
    for (auto [thread, processors] : row.machine.may) EXPECT_EQ(processors, 0xfu) << "thread " << thread << " after call " << refused << " was refused";
    const u32 calls = row.machine.calls;
    for (u32 i = 0; i < 10; i++) row.machine.conductor_at = i % 4, row.seats.assign();
    EXPECT_EQ(row.machine.calls, calls);
  }
}

// taskset, a cpuset: what they say of a thread of ours is not undone.
TEST(Seats, WhoIsBoundBySomebodyElseStaysThere) {
  Row row;
  row.seats.start(row.machine, 1, row.workers, true);
  row.enter();
  row.seats.assign();
  row.machine.may[kFirstThread + 1] = 1; // by hand, to where the conductor will be
  for (u32 i = 1; i < 10; i++) row.machine.conductor_at = i % 4, row.seats.assign();
  EXPECT_EQ(row.machine.may[kFirstThread + 1], 1u);
  EXPECT_EQ(row.machine.may[kFirstThread + 2], 0xfu);
  EXPECT_EQ(row.machine.may[kFirstThread + 3], 0xfu);
}

TEST(Seats, AThreadKeepsToWhatItWasAllowed) {
  Row row;
  row.workers = row.machine.count = 3;
  row.machine.own_mask = 0b110100; // GCHeapAffinitizeMask; the conductor is a thread of the program
  row.seats.start(row.machine, 1, row.workers, true);
  row.enter();
  for (u32 at = 0; at < 6; at++) {
    row.machine.conductor_at = at;
    row.seats.assign();
    EXPECT_TRUE(row.seated(u64(1) << at | ~row.machine.own_mask)) << "conductor on " << at;
  }
}

TEST(Seats, OffUnlessWorkersAreAsManyAsProcessors) {
  struct Case { u32 workers, processors; u64 mask; const char* why; };
  for (Case c : {Case{3, 4, 0, "a processor more"}, Case{5, 4, 0, "one too few"}, Case{4, 4, 0b111, "the threads were given fewer"},
                 Case{3, 4, 0b111, "the process has more than they were given"}, Case{4, 4, 0b11111, "they were given more"}, Case{1, 1, 0, "nobody to seat"},
                 Case{65, 65, 0, "more than a word has bits"}}) {
    Row row;
    row.workers = c.workers;
    row.machine.count = c.processors;
    row.machine.own_mask = c.mask;
    row.seats.start(row.machine, 1, c.workers, true);
    row.enter();
    row.seats.assign();
    EXPECT_EQ(row.machine.calls, 0u) << c.why;
  }
  Row all;
  all.workers = all.machine.count = 64;
  all.seats.start(all.machine, 1, 64, true);
  all.enter();
  all.machine.conductor_at = 63;
  all.seats.assign();
  EXPECT_EQ(all.machine.calls, 63u);
  all.machine.conductor_at = ~u32(0); // the system does not say
  all.seats.assign();
  EXPECT_EQ(all.machine.calls, 63u);
}

// -- in a gang --

using RecordedM = Hooked<Recorded>;

// In a few phases of such a gang its three threads are bound so many times.
void expect_calls(GangConfig config, u32 calls, u32 nodes = 1) {
  config.workers = 4;
  Crew<RecordedM> crew(config);
  crew.machine.many = nodes;
  std::atomic<u32> entered{0};
  crew.machine.at = [&](RecordedM::Self&, Spot spot) { entered += spot == Spot::parking; };
  crew.conduct([&](RecordedM::Self& self) {
    while (config.sync == SyncKind::futex && entered.load() < 3) self.yield(); // all have begun to live
    for (u32 i = 0; i < 3; i++) {
      Trees<RecordedM> body(crew.gang, 20);
      crew.gang.run(self, Phase::mark, 4, 4, body);
    }
    EXPECT_EQ(crew.machine.calls, calls) << describe(config);
  });
}

TEST(Seats, AGangSeatsItsThreadsBeforeItWakesThem) {
  GangConfig config;
  config.join = JoinKind::late;
  expect_calls(config, 3);
  config.join = JoinKind::fixed;
  expect_calls(config, 3);
  config.sync = SyncKind::monitor; // three phases: all have been there for the second at the latest
  expect_calls(config, 3);
}

TEST(Seats, OffWhereTheOptionOrPinningSaysSo) {
  GangConfig config;
  config.seats = false;
  expect_calls(config, 0);
  config.seats = true;
  config.pin = Pinning::rr;
  expect_calls(config, 0);
  config.pin = Pinning::none;
  expect_calls(config, 0, 2);
}

// -- on the real machine --

// Where each worker but the conductor ran, at the beginning and at the end of its part.
struct Places : Draining<Real, Places> {
  using Draining::Draining;
  int conductor_at = 0;
  std::atomic<u32> seen{0}, beside{0};
  void look(Real::Self& self) {
    if (self.index == 0) return;
    seen++;
    beside += sched_getcpu() == conductor_at;
  }
  void enter(Real::Self& self) { look(self); }
  void leave(Real::Self& self) { look(self); }
  void root(Real::Self& self, u32) { self.pause(); }
  void take(Real::Self&, u64) {}
};

// The conductor goes round the processors; nobody else runs where it does. Without seats a worker is woken where it slept, which is where the conductor is now.
TEST(Seats, OnTheRealMachineNobodyRunsWhereTheConductorDoes) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &before)) processors.push_back(i);
  if (processors.size() < 2) GTEST_SKIP() << "this process has one processor: there is nowhere else to run";
  if (processors.back() >= 64 || Linux().nodes() > 1) GTEST_SKIP() << "seats are for one node and processors below 64";
  GangConfig config;
  config.workers = u32(processors.size());
  config.join = JoinKind::fixed; // all take part in each phase
  Crew<Real> crew(config);
  crew.conduct([&](Real::Self& self) {
    Places body(crew.gang);
    crew.gang.run(self, Phase::mark, config.workers, 1, body); // all have begun to live
    body.seen = body.beside = 0;
    for (u32 i = 0; i < 200; i++) {
      body.conductor_at = processors[i % processors.size()];
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(body.conductor_at, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      crew.gang.run(self, Phase::mark, config.workers, 8, body);
    }
    sched_setaffinity(0, sizeof before, &before);
    EXPECT_GE(body.seen, 2 * 200 * (config.workers - 1));
    EXPECT_EQ(body.beside, 0u) << "of " << body.seen;
  });
}

} // namespace
} // namespace garner::test
