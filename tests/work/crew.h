// What the tests of this floor share: a machine that can be watched and held up, a crew (machine, gang, threads), and bodies.
//
// Tests are written for any machine; a hold is a loop of yields, so it works on real threads and on simulated ones.
#pragma once
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "configs.h"
#include "machine/linux/linux.h"
#include "work/gang.h"

namespace garner::test {

// Any machine, with counts of parks and wakes, a call at every Spot, and a park that can be made blind.
template <class Base> class Hooked : public Base {
 public:
  template <class T> using Atomic = typename Base::template Atomic<T>;
  struct Self : Base::Self {
    Self(Hooked& m, u32 worker) : Base::Self(m, worker), machine(&m) {}
    void reached(u32 spot) {
      if (machine->at) machine->at(*this, Spot(spot));
    }
    Hooked* machine;
  };
  using Base::Base;

  // Set while nobody works.
  std::function<void(Self&, Spot)> at;
  std::function<void(Self&)> after_park;

  void park(Self& self, Atomic<u32>& futex, u32 expected) {
    parks.fetch_add(1);
    // Blind: sleeps without comparing, as a condition variable without its lock would. rescue() ends it.
    if (blind && self.index == blind_worker) {
      asleep = &futex;
      Base::park(self, futex, futex.load_relaxed());
      asleep = nullptr;
      return;
    }
    Base::park(self, futex, expected);
    if (after_park) after_park(self);
  }
  void wake(Self& self, Atomic<u32>& futex, u32 sleepers) {
    wakes.fetch_add(1);
    Base::wake(self, futex, sleepers);
  }
  void rescue(Self& self) {
    if (Atomic<u32>* futex = asleep) Base::wake(self, *futex, ~0u);
  }

  std::atomic<u64> parks{0}, wakes{0};
  std::atomic<bool> blind{false};
  u32 blind_worker = 0;
  std::atomic<Atomic<u32>*> asleep{nullptr};
};

using Real = Hooked<Linux>;
using Machines = ::testing::Types<Real>;

// A started gang with its threads. conduct() runs the test as the conductor and ends the threads afterwards.
template <class M> class Crew {
 public:
  using Self = typename M::Self;
  explicit Crew(const GangConfig& config) : config_(config) { alarm(600); } // a hang ends the test program
  ~Crew() {
    for (std::thread& t : threads_) t.join();
    alarm(0);
  }

  template <class F> void conduct(F f) {
    Self self(machine, 0);
    ASSERT_TRUE(gang.start(machine, config_, &spawn, this));
    gang.ensure(config_.workers);
    f(self);
    gang.stop(self);
  }

  M machine;
  Gang<M> gang;

 private:
  static bool spawn(void (*entry)(void*), void* arg, void* crew) {
    static_cast<Crew*>(crew)->threads_.emplace_back([=] { entry(arg); });
    return true;
  }
  GangConfig config_;
  std::vector<std::thread> threads_;
};

template <class Self> void hold_until(Self& self, const std::atomic<bool>& flag) {
  while (!flag.load()) self.yield();
}
template <class Self> void hold_ms(Self& self, u64 ms) {
  u64 end = self.now() + ms * 1000000;
  while (self.now() < end) self.yield();
}

// Whether it comes true within a minute, which is longer than a busy system keeps a thread waiting.
template <class Self, class F> bool within_a_minute(Self& self, F comes) {
  for (const u64 end = self.now() + 60'000'000'000; !comes(); self.yield())
    if (self.now() >= end) return false;
  return true;
}

// Base of bodies: drain pops and takes. `Derived` has root and take.
template <class M, class Derived> struct Draining {
  using Self = typename M::Self;
  Gang<M>* gang;
  explicit Draining(Gang<M>& g) : gang(&g) {}
  void drain(Self& self) {
    u64 entry;
    while (gang->queue(self.index).pop(entry)) static_cast<Derived*>(this)->take(self, entry);
  }
};

// Trees to cut down: an entry n > 1 is cut into two, an entry 1 is a leaf, counted by whoever takes it.
template <class M> struct Trees : Draining<M, Trees<M>> {
  using Self = typename M::Self;
  struct alignas(64) Count { u64 leaves = 0, entered = 0, left = 0; };
  u64 size;
  u32 yield_one_in = 0; // how often a leaf gives the core away
  std::vector<Count> counts = std::vector<Count>(64);

  Trees(Gang<M>& g, u64 leaves) : Draining<M, Trees<M>>(g), size(leaves) {}
  void enter(Self& self) { counts[self.index].entered++; }
  void leave(Self& self) { counts[self.index].left++; }
  void root(Self& self, u32) { take(self, size); }
  void take(Self& self, u64 n) {
    if (n > 1) {
      this->gang->queue(self.index).push(n / 2);
      this->gang->queue(self.index).push(n - n / 2);
      return;
    }
    counts[self.index].leaves++;
    if (yield_one_in != 0 && self.random.one_in(yield_one_in)) self.yield();
  }
  u64 leaves() const {
    u64 sum = 0;
    for (const Count& c : counts) sum += c.leaves;
    return sum;
  }
};

} // namespace garner::test
