// The depth-first walk over schedules; see explore.h.
//
// path_ is the branch at hand: the first at_ choices are given again, later ones are answered 0 and recorded. The next branch
// drops trailing choices whose options are used up and takes the next option of the last one left.
#include "machine/sim/explore.h"

#include "base/check.h"

namespace garner::sim {

Exploration::Exploration(const Limits& limits, Attempt attempt, void* self, const Vector<u32>* replayed) : replayed_(replayed) {
  Config config = limits.machine;
  config.picker = Picker::every;
  config.chooser = {&choose, this};
  Sim sim(config);
  do {
    at_ = 0;
    sim.reset(config);
    Outcome outcome{};
    schedules_++;
    failed_ = !attempt(self, sim, outcome);
    end_ = outcome.end;
    describe(outcome);
  } while (!failed_ && replayed_ == nullptr && schedules_ < limits.schedules_max && next());
}

u32 Exploration::choose(void* self, u32 options) {
  Exploration& me = *static_cast<Exploration*>(self);
  const usize at = me.at_++;
  if (me.replayed_ != nullptr) {
    const u32 taken = at < me.replayed_->size() ? (*me.replayed_)[at] : 0;
    GARNER_CHECK(taken < options, "these choices belong to another case");
    return taken;
  }
  if (at == me.path_.size()) {
    GARNER_CHECK(me.path_.push({0, options}), "explore() is out of memory");
    return 0;
  }
  GARNER_CHECK(me.path_[at].options == options, "the case does not repeat itself: the same choices led to other options");
  return me.path_[at].taken;
}

bool Exploration::next() {
  GARNER_CHECK(at_ == path_.size(), "the case does not repeat itself: the same choices led to a shorter run");
  while (!path_.empty() && path_.back().taken + 1 == path_.back().options) path_.pop();
  exhausted_ = path_.empty();
  if (!exhausted_) path_.back().taken++;
  return !exhausted_;
}

void Exploration::describe(const Outcome& outcome) {
  text_.clear();
  if (!failed_) {
    text_.num(schedules_).text(schedules_ == 1 ? " schedule, no failure" : " schedules, no failure");
    return;
  }
  if (replayed_ != nullptr) {
    for (usize i = 0; i < replayed_->size(); i++) GARNER_CHECK(failing_.push((*replayed_)[i]), "explore() is out of memory");
  } else {
    for (const Choice& choice : path_) GARNER_CHECK(failing_.push(choice.taken), "explore() is out of memory");
  }
  text_.text("schedule ").num(schedules_).text(" failed, choices");
  for (u32 taken : failing_) text_.text(" ").num(taken);
  text_.text(outcome.end == End::finished ? ": the end state is wrong" : ": ").text(outcome.text);
}

} // namespace garner::sim
