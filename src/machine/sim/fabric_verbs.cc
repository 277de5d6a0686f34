// The plain verbs of a machine in full: what leaves the core's own caches happens in the order of the clocks.
//
// Story of a server reserved too early: fiber A runs ahead by 1 us and takes the controller at its own clock; fiber B, whose clock is
// earlier, comes next and must wait behind A, though the controller stood idle at B's time. So before each access that may reach a
// server a fiber gives way to all with an earlier clock, and long sequences do so again at every page.
#include "machine/sim/sim.h"

namespace garner {

using sim::Fabric;

void Sim::full_miss(word at, bool write) {
  before_miss();
  clock_ = fabric_.access(clock_, at, write);
}

void Sim::full_sequence(word at, usize bytes, Fabric::Pass pass) {
  if (current_ == sim::kNoFiber) return;
  while (bytes > 0) {
    before_miss();
    const usize part = fabric_.piece(at, bytes);
    clock_ = fabric_.sequence(clock_, at, part, pass);
    at += part;
    bytes -= part;
  }
}

void Sim::full_copy(word to, word from, usize bytes, Fabric::Pass pass) {
  if (current_ == sim::kNoFiber) return;
  while (bytes > 0) {
    before_miss();
    const usize part = min_of(fabric_.piece(to, bytes), fabric_.piece(from, bytes));
    const u64 read = fabric_.sequence(clock_, from, part, Fabric::Pass::read);
    clock_ = fabric_.sequence(read, to, part, pass);
    to += part;
    from += part;
    bytes -= part;
  }
}

void Sim::full_touch(word at) {
  if (current_ == sim::kNoFiber) return;
  if (!fabric_.has_touched(at)) before_miss();
  clock_ = fabric_.touch(clock_, at);
}

} // namespace garner
