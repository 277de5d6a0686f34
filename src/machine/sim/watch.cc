// What a Sim does with accesses and orders that it is told of (races.h): it feeds the detector, and stops the run at the first race.
#include "machine/sim/sim.h"

#include "base/check.h"

namespace garner {

using namespace sim;

namespace {

const char* base_name(const char* file) {
  const char* name = file;
  for (const char* p = file; *p != 0; p++)
    if (*p == '/') name = p + 1;
  return name;
}

bool same(const Where& a, const Where& b) { return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0); }

} // namespace

void Sim::meet(Access access, word at, usize bytes, Where where) {
  if (current_ != kNoFiber && !races_.access(access, at, bytes, clock_ / 1000, where)) stop(End::race);
}

void Sim::ordered(word at, Order order, Effect effect, Where where) {
  if (current_ == kNoFiber) return;
  if (order != Order::relaxed && config_.orders != nullptr) {
    bool known = false;
    for (const Where& one : *config_.orders) known = known || same(one, where);
    if (!known) GARNER_CHECK(config_.orders->push(where), "the simulated machine is out of memory");
  }
  const Where& weak = config_.weakened;
  if (weak.file != nullptr && where.line - weak.line < config_.weakened_lines && same({weak.file, where.line}, where)) order = Order::relaxed;
  races_.atomic(at, order, effect);
}

// "race on +0x1000040 (8 bytes): write by fiber 2 (worker 1) at evacuation.ipp:45, 120 ns, then read by fiber 0 at …; seed 7"
void Sim::describe_race() {
  const Race& race = races_.race();
  text_.text("race on ");
  if (model_.places().find(race.at) != nullptr) text_.text("+0x").hex(id_of(race.at));
  else text_.text("data outside every range");
  text_.text(" (").num(race.bytes).text(race.bytes == 1 ? " byte): " : " bytes): ");
  describe_side(race.earlier);
  text_.text(", then ");
  describe_side(race.later);
  text_.text("; no release and acquire stands between them; seed ").num(config_.seed);
}

void Sim::describe_side(const Race::Side& side) {
  text_.text(name_of(side.access)).text(" by fiber ").num(side.fiber);
  if (tasks_[side.fiber].worker != kNoFiber) text_.text(" (worker ").num(tasks_[side.fiber].worker).text(")");
  text_.text(" at ").text(base_name(side.where.file)).text(":").num(side.where.line).text(", ").num(side.ns).text(" ns");
}

bool Sim::mutated(Trap trap) {
  Sim* self = running();
  return self != nullptr && (self->config_.traps >> u32(trap) & 1) != 0;
}

void Sim::saw(Access access, const volatile void* at, usize bytes, Where where) {
  if (Sim* self = running()) self->watch(access, reinterpret_cast<word>(at), bytes, where);
}

void Sim::guesses(const volatile void* at, usize bytes, Where where) {
  Sim* self = running();
  if (self != nullptr && self->config_.races) self->races_.guess(reinterpret_cast<word>(at), bytes, self->clock_ / 1000, where);
}

void Sim::guessed(bool right) {
  Sim* self = running();
  if (self != nullptr && self->config_.races && !self->races_.guessed(right)) self->stop(End::race);
}

void Sim::fence_acquire() {
  Sim* self = running();
  if (self != nullptr && self->config_.races) self->races_.fence(Order::acquire);
}

void Sim::fence_release() {
  Sim* self = running();
  if (self != nullptr && self->config_.races) self->races_.fence(Order::release);
}

} // namespace garner
