// Who goes on: the four pickers and the faults.
//
//   earliest  The ready fibers stand in a tournament tree by clock. The running one may go on until its clock passes the first of
//             them: set_until() turns that into one number, so that the usual case of a verb is one comparison.
//   seeded    Each visible operation asks. With one chance in switch_one_in_ it goes to another ready fiber, any with equal chance.
//             A delayed fiber stands in late_ and is not ready before the one time line passes its clock, or nobody else is ready.
//   priority  Probabilistic concurrency testing: of n fibers and k operations a mistake that needs d changes is found with a chance of at
//             least 1 / (n k^(d-1)) by one run. A fiber that pauses or yields falls behind all others, or a loop that waits would never end.
//   every     Each visible operation asks. The options are the ready fibers that Fair allows, the running one first (last if it just
//             yielded), then by number; leaving a fiber that could go on and did not yield costs a preemption, and when none
//             are left, or while choose(false) holds, there is no choice. A fiber that begins or returns from a wait was chosen for the
//             operation it comes to next, so that operation does not ask again: the schedules are exactly the distinct orders of visible operations.
#include "base/check.h"
#include "machine/sim/sim.h"

namespace garner {

using namespace sim;

namespace {

// How far a fiber may go without asking when nobody is ready: a loop of plain verbs is then still counted by the budget.
constexpr u64 kSpanPs = 1'000'000'000;

} // namespace

void Sim::set_until() {
  if (config_.picker != Picker::earliest) {
    until_ = 0;
    until_plain_ = until_miss_ = clock_ + kSpanPs;
    return;
  }
  const u64 first = ready_.first_clock();
  const u64 until = first == Ready::kNever ? first : first + (current_ < ready_.first()); // ties go to the lower number
  until_ = faulty_ ? 0 : until;
  const u64 ahead = until > Ready::kNever - config_.slack_ps ? Ready::kNever : until + config_.slack_ps;
  until_plain_ = min_of(ahead, clock_ + kSpanPs);
  until_miss_ = min_of(until, until_plain_);
}

void Sim::turn() {
  switch (config_.picker) {
    case Picker::earliest:
      if (faulty_) clock_ += faults_at_operation();
      return turn_earliest();
    case Picker::seeded: return turn_seeded();
    case Picker::every: return turn_every();
    case Picker::priority: return turn_priority();
  }
}

void Sim::turn_plain() {
  if (++steps_ >= config_.steps_max) stop(End::budget);
  if (config_.picker == Picker::earliest) turn_earliest();
  else set_until();
}

u32 Sim::pick_next() {
  if (config_.picker == Picker::every) return pick_every(false);
  if (config_.picker == Picker::seeded) return pick_seeded();
  if (config_.picker == Picker::priority) return pick_priority();
  if (ready_.first_clock() == Ready::kNever) return kNoFiber;
  const u32 first = ready_.first();
  ready_.remove(first);
  return first;
}

void Sim::turn_earliest() {
  Task& task = tasks_[current_];
  const u64 first = ready_.first_clock();
  if (GARNER_UNLIKELY(task.storm > 0)) {
    task.storm--;
    if (first != Ready::kNever) clock_ = max_of(clock_, first + 1);
  }
  if (first == Ready::kNever || clock_ < first || (clock_ == first && current_ < ready_.first())) return set_until();
  const u32 next = ready_.first();
  task.clock = clock_;
  task.state = State::ready;
  ready_.set(current_, clock_);
  ready_.remove(next);
  switch_to(next);
}

void Sim::turn_seeded() {
  const u64 delay = faulty_ ? faults_at_operation() : 0;
  const u32 me = current_;
  Task& task = tasks_[me];
  if (delay != 0) {
    task.clock = clock_ + delay;
    task.state = State::ready;
    GARNER_CHECK(late_.push(me), "the simulated machine is out of memory");
    return switch_to(pick_seeded());
  }
  if (!late_.empty()) ready_due();
  if (ready_list_.empty()) return;
  const bool storm = task.storm > 0;
  if (storm) task.storm--;
  if (!storm && !random_.one_in(switch_one_in_)) return;
  const u32 next = pick_seeded(); // before this fiber is among them
  make_ready(me, clock_);
  switch_to(next);
}

// Takes a ready fiber out, any with equal chance; failing that the delayed one whose time comes first.
u32 Sim::pick_seeded() {
  if (!late_.empty()) ready_due();
  const bool late = ready_list_.empty();
  if (late && late_.empty()) return kNoFiber;
  Vector<u32>& from = late ? late_ : ready_list_;
  usize chosen = 0;
  if (!late) chosen = random_.below(from.size());
  else
    for (usize i = 1; i < from.size(); i++)
      if (tasks_[from[i]].clock < tasks_[from[chosen]].clock) chosen = i;
  const u32 fiber = from[chosen];
  from[chosen] = from.back();
  from.pop();
  return fiber;
}

void Sim::ready_due() {
  for (usize i = 0; i < late_.size();) {
    const u32 fiber = late_[i];
    if (tasks_[fiber].clock > clock_) {
      i++;
      continue;
    }
    late_[i] = late_.back();
    late_.pop();
    GARNER_CHECK(ready_list_.push(fiber), "the simulated machine is out of memory");
  }
}

void Sim::turn_every() {
  if (settled_) {
    settled_ = false;
    return;
  }
  const u32 me = current_, next = pick_every(true);
  if (next == me) return;
  tasks_[me].in_turn = true;
  make_ready(me, clock_);
  switch_to(next);
}

void Sim::draw_changes() {
  GARNER_CHECK(config_.changes <= kChangesMost, "at most 16 changes of priority");
  for (u32 i = 0; i < config_.changes; i++) changes_[i] = 1 + random_.below(max_of<u64>(1, config_.changes_within));
  priority_low_ = 0;
}

void Sim::turn_priority() {
  if (faulty_) clock_ += faults_at_operation();
  for (u32 i = 0; i < config_.changes; i++)
    if (changes_[i] == steps_) lower_priority();
  const u32 me = current_;
  for (u32 fiber : ready_list_)
    if (tasks_[fiber].priority > tasks_[me].priority) {
      const u32 next = pick_priority(); // before this fiber is among them
      make_ready(me, clock_);
      return switch_to(next);
    }
}

// Takes the ready fiber with the highest priority out; of two equal ones that with the lower number.
u32 Sim::pick_priority() {
  if (ready_list_.empty()) return kNoFiber;
  usize best = 0;
  for (usize i = 1; i < ready_list_.size(); i++) {
    const i64 better = tasks_[ready_list_[i]].priority - tasks_[ready_list_[best]].priority;
    if (better > 0 || (better == 0 && ready_list_[i] < ready_list_[best])) best = i;
  }
  const u32 fiber = ready_list_[best];
  ready_list_[best] = ready_list_.back();
  ready_list_.pop();
  return fiber;
}

u32 Sim::pick_every(bool running) {
  const u64 mine = current_ == kNoFiber ? 0 : u64(1) << current_;
  const u64 ready = ready_mask_ | (running ? mine : 0);
  bool yielded = false;
  if (current_ != kNoFiber) {
    yielded = tasks_[current_].yielded;
    tasks_[current_].yielded = false;
    fair_.ran(current_, yielded, ready_before_, ready);
  }
  ready_before_ = ready;
  if (ready == 0) return kNoFiber;
  u64 allowed = fair_.allowed(ready);
  const bool may_stay = running && (allowed & mine) != 0, stay_first = may_stay && !yielded;
  if (stay_first && (!chooses_ || preemptions_ >= config_.preemptions_max)) allowed = mine;
  const u32 options = u32(__builtin_popcountll(allowed));
  u32 answer = 0;
  if (options > 1 && chooses_ && config_.chooser.choose != nullptr) answer = config_.chooser.choose(config_.chooser.self, options);
  GARNER_CHECK(answer < options, "a chooser's answer must be one of its options");
  if (stay_first && answer == 0) return current_;
  if (may_stay && !stay_first && answer == options - 1) return current_;
  u64 others = may_stay ? allowed & ~mine : allowed;
  for (u32 skip = answer - (stay_first ? 1 : 0); skip > 0; skip--) others &= others - 1;
  if (stay_first) preemptions_++;
  const u32 fiber = u32(__builtin_ctzll(others));
  ready_mask_ &= ~(u64(1) << fiber);
  return fiber;
}

bool Sim::happens(u32 one_in, Fault kind) {
  if (one_in == 0 || config_.picker == Picker::every || !random_.one_in(one_in)) return false;
  fault_counts_[usize(kind)]++;
  return true;
}

u64 Sim::faults_at_operation() {
  const FaultPlan& plan = config_.faults;
  if (happens(plan.storm_one_in, Fault::storm)) tasks_[current_].storm = 1 + u32(random_.below(max_of(1u, plan.storm_operations_max)));
  if (plan.spurious_wake_one_in != 0 && waiting_.size() > locked_ && random_.one_in(plan.spurious_wake_one_in)) {
    usize skip = random_.below(waiting_.size() - locked_), i = 0;
    while (tasks_[waiting_[i]].state != State::parked || skip-- > 0) i++;
    const u32 fiber = waiting_[i];
    for (; i + 1 < waiting_.size(); i++) waiting_[i] = waiting_[i + 1];
    waiting_.pop();
    fault_counts_[usize(Fault::spurious_wake)]++;
    make_ready(fiber, clock_);
  }
  if (!happens(plan.delay_one_in, Fault::delay)) return 0;
  return 1 + random_.below(max_of<u64>(1, plan.delay_ps_max));
}

} // namespace garner
