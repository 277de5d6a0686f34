// Every schedule of a small case, depth first: explore() reruns the case with recorded choices until none is left untried.
//
// A case is a class: its constructor Case(Sim&, args…) makes the shared state and starts the fibers, bool ok() judges the state
// after a run that finished. A run fails when ok() is false, when it ends in a deadlock, or when it uses up steps_max.
// The first failing list of choices can be run again by replay(), under a debugger or with printing switched on.
//
//   struct Lost {
//     explicit Lost(Sim& sim) { sim.start(&add, this); sim.start(&add, this); }
//     static void add(void* self) { auto& n = static_cast<Lost*>(self)->count; n.store_relaxed(n.load_relaxed() + 1); }
//     bool ok() { return count.load_relaxed() == 2; }
//     Sim::Atomic<u32> count;
//   };
//   sim::Exploration found = sim::explore<Lost>({});          // found.failed(), found.schedules(), found.text()
//   sim::Exploration again = sim::replay<Lost>({}, found.choices());
//
// Invariant: a case behaves the same when it gets the same answers; if not (it looked at a host address, at real time), the run
// that offers another number of options than before dies with that sentence.
// When not to use it: beyond about 20 visible operations per fiber without a bound on preemptions the count is astronomical.
#pragma once
#include "machine/sim/sim.h"

namespace garner::sim {

struct Limits {
  Config machine = small();        // picker and chooser are set by explore()
  u64 schedules_max = 10'000'000;     // give up after so many

  // At most two preemptions (most concurrency bugs need no more), and a budget that only a case without end uses up.
  static constexpr Config small() {
    Config config;
    config.preemptions_max = 2;
    config.steps_max = 20'000;
    return config;
  }
};

class Exploration {
 public:
  using Attempt = bool (*)(void* self, Sim& sim, Outcome& outcome);
  Exploration(const Limits& limits, Attempt attempt, void* self, const Vector<u32>* replayed = nullptr);

  u64 schedules() const { return schedules_; }  // how many were run
  bool exhausted() const { return exhausted_; } // all there are, within the bound on preemptions
  bool failed() const { return failed_; }       // the last one run failed
  End end() const { return end_; }              // of the last one run
  const Vector<u32>& choices() const { return failing_; }
  const char* text() { return text_.c_str(); }  // one line

 private:
  struct Choice {
    u32 taken, options;
  };
  static u32 choose(void* self, u32 options);
  bool next();
  void describe(const Outcome& outcome);

  Vector<Choice> path_;  // of the schedule at hand
  usize at_ = 0;         // the next choice of it
  const Vector<u32>* replayed_;
  u64 schedules_ = 0;
  bool exhausted_ = false, failed_ = false;
  End end_ = End::finished;
  Vector<u32> failing_;
  Line text_;
};

namespace detail {

template <class Case, class... Args> Exploration explore_case(const Limits& limits, const Vector<u32>* replayed, Args&... args) {
  auto once = [&](Sim& sim, Outcome& outcome) {
    Case one(sim, args...);
    outcome = sim.run();
    return outcome.end == End::finished && one.ok();
  };
  using Once = decltype(once);
  return Exploration(
      limits, [](void* self, Sim& sim, Outcome& outcome) { return (*static_cast<Once*>(self))(sim, outcome); }, &once, replayed);
}

} // namespace detail

template <class Case, class... Args> Exploration explore(const Limits& limits, Args&&... args) {
  return detail::explore_case<Case>(limits, nullptr, args...);
}
template <class Case, class... Args> Exploration replay(const Limits& limits, const Vector<u32>& choices, Args&&... args) {
  return detail::explore_case<Case>(limits, &choices, args...);
}

} // namespace garner::sim
