// The slow half of the line table; see lines.h.
#include "machine/sim/lines.h"


namespace garner::sim {

bool Lines::reset() {
  if (sets_.empty() && !sets_.resize(usize(1) << kSetBits)) return false; // zeroed by the system
  generation_++;
  if (generation_ >> (64 - kTagBits) != 0) {
    memset(static_cast<void*>(sets_.begin()), 0, sets_.size() * sizeof(Set));
    generation_ = 1;
  }
  return strangers_.reset();
}

CacheLine& Lines::second(Set& set, u64 tag) {
  Way found = set.way[1].tag == tag ? set.way[1] : Way{tag, CacheLine{}};
  set.way[1] = set.way[0];
  set.way[0] = found;
  return set.way[0].line;
}

} // namespace garner::sim
