// The plain verbs of a machine in full: what leaves the core's own caches happens in the order of the clocks.
//
// Story of a server reserved too early: fiber A runs ahead by 1 us and takes the controller at its own clock; fiber B, whose clock is
// earlier, comes next and must wait behind A, though the controller stood idle at B's time. So before each access that may reach a
// server a fiber gives way to all with an earlier clock; long sequences do so again at every page, a copy between its halves, and
// everything again after a fault or a wait for a prefetch.
#include "machine/sim/sim.h"

namespace garner {

using sim::Fabric;

void Sim::full_page(word at) {
  before_miss();
  if (fabric_.fault(clock_, at)) before_miss();
}

void Sim::full_miss(word at, bool write) {
  full_page(at);
  clock_ = fabric_.access(clock_, at, write);
}

void Sim::full_sequence(word at, usize bytes, Fabric::Pass pass) {
  if (current_ == sim::kNoFiber) return;
  while (bytes > 0) {
    full_page(at);
    const usize part = fabric_.piece(at, bytes);
    clock_ = fabric_.sequence(clock_, at, part, pass);
    at += part;
    bytes -= part;
  }
}

void Sim::full_copy(word to, word from, usize bytes, Fabric::Pass pass) {
  if (current_ == sim::kNoFiber) return;
  while (bytes > 0) {
    const usize part = min_of(fabric_.piece(to, bytes), fabric_.piece(from, bytes));
    full_page(from);
    clock_ = fabric_.sequence(clock_, from, part, Fabric::Pass::read);
    full_page(to);
    clock_ = fabric_.sequence(clock_, to, part, pass);
    to += part;
    from += part;
    bytes -= part;
  }
}

void Sim::full_touch(word at) {
  if (current_ == sim::kNoFiber) return;
  if (!fabric_.has_touched(at)) {
    clock_ = fabric_.place_for_touch(clock_);
    before_miss();
  }
  clock_ = fabric_.touch(clock_, at);
}

} // namespace garner
