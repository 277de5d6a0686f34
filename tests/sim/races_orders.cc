// The race detector knows what each declared order promises, no more and no less: litmus cases under every interleaving. A case is a race
// if some schedule has one; it is ordered if all have been tried and none has.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "machine/sim/explore.h"

namespace garner {
namespace {

struct Words {
  Sim::Atomic<u32> flag, second, futex;
  Sim::Lock lock;
  u64 data = 0;
  Sim* sim = nullptr;
  Sim::Self* self = nullptr;
};
using Part = std::function<void(Words&)>;
using Parts = std::vector<Part>;

struct Litmus {
  Litmus(Sim& sim, const Parts& parts) {
    words.sim = &sim;
    for (const Part& part : parts) runs.push_back({&words, &part});
    for (Run& run : runs) sim.start(&begin, &run);
  }
  struct Run {
    Words* words;
    const Part* part;
  };
  static void begin(void* at) { (*static_cast<Run*>(at)->part)(*static_cast<Run*>(at)->words); }
  bool ok() { return true; }
  Words words;
  std::vector<Run> runs;
};

enum class Verdict { race, ordered, other };
Verdict judge(const Parts& parts, std::string* text = nullptr) {
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.preemptions_max = ~0u;
  sim::Exploration found = sim::explore<Litmus>(limits, parts);
  if (text != nullptr) *text = found.text();
  if (!found.failed()) return found.exhausted() ? Verdict::ordered : Verdict::other;
  return found.end() == sim::End::race ? Verdict::race : Verdict::other;
}

void write(Words& w) { writes<Sim>(w.data) = 1; }
void read(Words& w) { reads<Sim>(w.data); }
Part then(Part a, Part b) {
  return [a, b](Words& w) { a(w), b(w); };
}

TEST(RaceOrders, ReleaseAndAcquireTogetherAreAnEdge) {
  const Part released = [](Words& w) { write(w), w.flag.store_release(1); };
  const Part relaxed = [](Words& w) { write(w), w.flag.store_relaxed(1); };
  const Part acquired = [](Words& w) { if (w.flag.load_acquire() == 1) read(w); };
  const Part looked = [](Words& w) { if (w.flag.load_relaxed() == 1) read(w); };
  EXPECT_EQ(judge({released, acquired}), Verdict::ordered);
  EXPECT_EQ(judge({relaxed, acquired}), Verdict::race);
  EXPECT_EQ(judge({released, looked}), Verdict::race);
  EXPECT_EQ(judge({[](Words& w) { write(w), w.flag.store_seq_cst(1); }, [](Words& w) { if (w.flag.load_seq_cst() == 1) read(w); }}), Verdict::ordered);
}

TEST(RaceOrders, AReleaseSequenceGoesOnThroughChangesButNotThroughStores) {
  const Part head = [](Words& w) { write(w), w.flag.store_release(1); };
  const Part reader = [](Words& w) { if (w.flag.load_acquire() == 2) read(w); };
  EXPECT_EQ(judge({head, [](Words& w) { u32 one = 1; w.flag.cas_relaxed(one, 2); }, reader}), Verdict::ordered);
  EXPECT_EQ(judge({head, [](Words& w) { if (w.flag.load_relaxed() == 1) w.flag.store_relaxed(2); }, reader}), Verdict::race);
}

// What two workers wrote is seen by who acquires after both counted.
TEST(RaceOrders, CountingWithAcqRelHandsEverybodysWritesOn) {
  const Part counts = [](Words& w) { w.lock.lock(), write(w), w.lock.unlock(), w.flag.fetch_add_acq_rel(1); };
  const Part counts_relaxed = [](Words& w) { w.lock.lock(), write(w), w.lock.unlock(), w.flag.fetch_add_relaxed(1); };
  const Part sums = [](Words& w) { if (w.flag.load_acquire() == 2) read(w); };
  EXPECT_EQ(judge({counts, counts, sums}), Verdict::ordered);
  EXPECT_EQ(judge({counts, counts_relaxed, sums}), Verdict::race);
}

TEST(RaceOrders, AFailedCompareAndSwapAcquiresAndDoesNotRelease) {
  const Part head = [](Words& w) { write(w), w.flag.store_release(1); };
  EXPECT_EQ(judge({head, [](Words& w) { u32 seen = 5; if (!w.flag.cas_acq_rel(seen, 6) && seen == 1) read(w); }}), Verdict::ordered);
  EXPECT_EQ(judge({head, [](Words& w) { u32 seen = 5; if (!w.flag.cas_relaxed(seen, 6) && seen == 1) read(w); }}), Verdict::race);
  const Part fails = [](Words& w) { write(w); u32 seen = 5; w.flag.cas_acq_rel(seen, 6); w.second.store_relaxed(1); };
  EXPECT_EQ(judge({fails, [](Words& w) { if (w.second.load_relaxed() == 1) w.flag.load_acquire(), read(w); }}), Verdict::race);
}

TEST(RaceOrders, FencesGiveRelaxedOperationsTheirOrder) {
  const Part released = [](Words& w) { write(w), Sim::fence_release(), w.flag.store_relaxed(1); };
  const Part late = [](Words& w) { Sim::fence_release(), write(w), w.flag.store_relaxed(1); };
  const Part acquired = [](Words& w) { if (w.flag.load_relaxed() == 1) Sim::fence_acquire(), read(w); };
  const Part early = [](Words& w) { Sim::fence_acquire(); if (w.flag.load_relaxed() == 1) read(w); };
  EXPECT_EQ(judge({released, acquired}), Verdict::ordered);
  EXPECT_EQ(judge({late, acquired}), Verdict::race);
  EXPECT_EQ(judge({released, early}), Verdict::race);
}

TEST(RaceOrders, LocksOrderWhatTheyGuard) {
  const Part guarded = [](Words& w) { w.lock.lock(), write(w), w.lock.unlock(); };
  EXPECT_EQ(judge({guarded, guarded, guarded}), Verdict::ordered);
  EXPECT_EQ(judge({guarded, [](Words& w) { if (w.lock.try_lock()) write(w), w.lock.unlock(); }}), Verdict::ordered);
  EXPECT_EQ(judge({guarded, write}), Verdict::race);
}

// Linux orders nothing for who returns from a futex and does not read the word again.
TEST(RaceOrders, AWakeIsNoEdge) {
  struct Sleep {
    static void relaxed(Words& w) {
      Sim::Self self(*w.sim, 0);
      while (w.futex.load_relaxed() == 0) w.sim->park(self, w.futex, 0);
      read(w);
    }
    static void acquire(Words& w) {
      Sim::Self self(*w.sim, 0);
      while (w.futex.load_acquire() == 0) w.sim->park(self, w.futex, 0);
      read(w);
    }
    static void wakes(Words& w) {
      Sim::Self self(*w.sim, 1);
      write(w);
      w.futex.store_release(1);
      w.sim->wake(self, w.futex, 1);
    }
  };
  EXPECT_EQ(judge({&Sleep::wakes, &Sleep::acquire}), Verdict::ordered);
  EXPECT_EQ(judge({&Sleep::wakes, &Sleep::relaxed}), Verdict::race);
}

TEST(RaceOrders, StartingAFiberIsAnEdge) {
  static Words* shared;
  const Part parent = [](Words& w) {
    shared = &w;
    write(w);
    w.sim->start([](void*) { read(*shared); }, nullptr);
  };
  EXPECT_EQ(judge({parent}), Verdict::ordered);
  EXPECT_EQ(judge({then(parent, write)}), Verdict::race);
}

TEST(RaceOrders, ReadsAndOtherBytesDoNotConflict) {
  const auto at = [](Words& w, u32 byte) -> u8& { return reinterpret_cast<u8*>(&w.data)[byte]; };
  EXPECT_EQ(judge({read, read}), Verdict::ordered);
  EXPECT_EQ(judge({[&](Words& w) { writes<Sim>(at(w, 0)) = 1; }, [&](Words& w) { writes<Sim>(at(w, 1)) = 1; }}), Verdict::ordered);
  EXPECT_EQ(judge({[&](Words& w) { writes<Sim>(at(w, 1)) = 1; }, read}), Verdict::race);
  EXPECT_EQ(judge({[&](Words& w) { sets<Sim>(at(w, 1)) = 1; }, [&](Words& w) { touches<Sim>(at(w, 1)); }}), Verdict::ordered);
  EXPECT_EQ(judge({[&](Words& w) { sets<Sim>(at(w, 1)) = 1; }, read}), Verdict::race);
}

// A guess counts as a read at the moment at which it was made, and only if it turned out right.
TEST(RaceOrders, AGuessCountsWhenItIsRight) {
  const Part writer = [](Words& w) { write(w), w.flag.store_release(1); };
  const auto guesser = [](bool right, bool acquires) {
    return [=](Words& w) {
      const bool seen = (acquires ? w.flag.load_acquire() : w.flag.load_relaxed()) == 1;
      guesses<Sim>(w.data);
      guessed<Sim>(right && seen);
    };
  };
  EXPECT_EQ(judge({writer, guesser(true, true)}), Verdict::ordered);
  EXPECT_EQ(judge({writer, guesser(true, false)}), Verdict::race);
  EXPECT_EQ(judge({writer, guesser(false, false)}), Verdict::ordered);
}

// The verbs of a worker: a header won with forward() publishes the copy, a plain header write does not.
struct Forwarding {
  Forwarding(Sim& s, bool& swap) : sim(s), swaps(swap) {
    sim.start(&winner, this);
    sim.start(&reader, this);
  }
  static void winner(void* at) {
    auto& c = *static_cast<Forwarding*>(at);
    Sim::Self self(c.sim, 0);
    const word header = word(&c.header);
    self.copy(word(c.to), word(c.from), sizeof c.to);
    if (c.swaps) self.forward(Header{header}, 0, 1);
    else self.set_header(Header{header}, 1);
  }
  static void reader(void* at) {
    auto& c = *static_cast<Forwarding*>(at);
    Sim::Self self(c.sim, 1);
    if (self.header(Header{word(&c.header)}) == 1) self.load(Slot{word(&c.to[1])});
  }
  bool ok() { return true; }
  Sim& sim;
  bool& swaps;
  word header = 0, from[4] = {}, to[4] = {};
};

TEST(RaceOrders, N7TheHeaderSwapPublishesTheCopy) {
  sim::Limits limits;
  limits.machine.races = true;
  bool swaps = true;
  EXPECT_FALSE(sim::explore<Forwarding>(limits, swaps).failed());
  swaps = false;
  EXPECT_EQ(sim::explore<Forwarding>(limits, swaps).end(), sim::End::race);
}

// One line names both accesses, and the same choices give the same line.
TEST(RaceReport, NamesBothSidesAndRepeats) {
  const Parts parts = {[](Words& w) { Sim::Self self(*w.sim, 7); write(w); }, read};
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.seed = 31;
  sim::Exploration found = sim::explore<Litmus>(limits, parts);
  ASSERT_EQ(found.end(), sim::End::race);
  const std::string text = found.text();
  EXPECT_NE(text.find("write by fiber 0 (worker 7) at races_orders.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find("then read by fiber 1 at races_orders.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find("(8 bytes)"), std::string::npos) << text;
  EXPECT_NE(text.find("seed 31"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  sim::Exploration again = sim::replay<Litmus>(limits, found.choices(), parts);
  EXPECT_EQ(text.substr(text.find("race")), std::string(again.text()).substr(std::string(again.text()).find("race")));
}

// Watching changes nothing: not a choice, not a clock.
TEST(RaceReport, TheDigestIsThatOfARunWithoutIt) {
  for (auto picker : {sim::Picker::earliest, sim::Picker::seeded, sim::Picker::priority})
    for (u64 seed = 1; seed <= 50; seed++) {
      u64 digests[2];
      for (bool races : {false, true}) {
        SimConfig config;
        config.picker = picker;
        config.seed = seed;
        config.races = races;
        Sim sim(config);
        const Part counts = [](Words& w) {
          for (u32 i = 0; i < 20; i++) w.lock.lock(), write(w), w.lock.unlock(), w.flag.fetch_add_acq_rel(1);
        };
        const Parts parts = {counts, counts, counts};
        Litmus litmus(sim, parts);
        ASSERT_EQ(sim.run().end, sim::End::finished);
        digests[races] = sim.digest();
      }
      ASSERT_EQ(digests[0], digests[1]) << "seed " << seed;
    }
}

// A mistake that needs two changes at the right places, one in a thousand random schedules or fewer; priorities find it soon.
struct Deep {
  explicit Deep(Sim& sim) {
    sim.start(&writer, this);
    sim.start(&reader, this);
  }
  static void writer(void* at) {
    auto& c = *static_cast<Deep*>(at);
    for (u32 i = 1; i <= 40; i++) c.a.store_relaxed(i), c.b.store_relaxed(i);
  }
  static void reader(void* at) {
    auto& c = *static_cast<Deep*>(at);
    const u32 a = c.a.load_relaxed();
    for (u32 i = 0; i < 80; i++) c.c.load_relaxed();
    if (c.b.load_relaxed() + 1 == a) c.wrong = true; // only if nothing ran for eighty operations
  }
  Sim::Atomic<u32> a, b, c;
  bool wrong = false;
};

TEST(PriorityPicker, FindsWhatNeedsFewChangesSoonerThanDice) {
  auto finds = [](sim::Picker picker) {
    u32 found = 0;
    for (u64 seed = 1; seed <= 2000; seed++) {
      SimConfig config;
      config.picker = picker;
      config.seed = seed;
      config.changes_within = 170;
      Sim sim(config);
      Deep deep(sim);
      EXPECT_EQ(sim.run().end, sim::End::finished);
      found += deep.wrong;
    }
    return found;
  };
  const u32 by_priority = finds(sim::Picker::priority), by_dice = finds(sim::Picker::seeded);
  EXPECT_GT(by_priority, 2 * by_dice);
}

TEST(PriorityPicker, AWaitingLoopEnds) {
  for (u64 seed = 1; seed <= 300; seed++) {
    SimConfig config;
    config.picker = sim::Picker::priority;
    config.seed = seed;
    config.steps_max = 100'000;
    Sim sim(config);
    const Parts parts = {[](Words& w) {
                           Sim::Self self(*w.sim, 0);
                           while (w.flag.load_acquire() == 0) self.pause();
                         },
                         [](Words& w) { w.flag.store_release(1); }};
    Litmus litmus(sim, parts);
    ASSERT_EQ(sim.run().end, sim::End::finished) << "seed " << seed;
  }
}

} // namespace
} // namespace garner
