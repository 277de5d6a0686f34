// The slow halves of the two line tables; see lines.h.
#include "machine/sim/lines.h"

#include "base/random.h"

namespace garner::sim {

bool Lines::reset() {
  if (sets_.empty() && !sets_.resize(usize(1) << kSetBits)) return false; // zeroed by the system
  generation_++;
  if (generation_ >> (64 - kTagBits) != 0) {
    memset(static_cast<void*>(sets_.begin()), 0, sets_.size() * sizeof(Set));
    generation_ = 1;
  }
  if (strangers_.empty() && !strangers_.resize(64)) return false;
  forget_strangers();
  next_number_ = 1;
  return true;
}

void Lines::forget_strangers() {
  memset(static_cast<void*>(strangers_.begin()), 0, strangers_.size() * sizeof(Stranger));
  used_ = 0;
}

CacheLine& Lines::second(Set& set, u64 tag) {
  Way found = set.way[1].tag == tag ? set.way[1] : Way{tag, CacheLine{}};
  set.way[1] = set.way[0];
  set.way[0] = found;
  return set.way[0].line;
}

Lines::Stranger& Lines::probe(word at) {
  usize mask = strangers_.size() - 1;
  for (usize i = usize(mix64(at)) & mask;; i = (i + 1) & mask)
    if (strangers_[i].at == at || strangers_[i].at == 0) return strangers_[i];
}

bool Lines::grow() {
  Vector<Stranger> old;
  if (!old.resize(strangers_.size())) return false;
  memcpy(static_cast<void*>(old.begin()), strangers_.begin(), old.size() * sizeof(Stranger));
  if (!strangers_.resize(old.size() * 2)) return false;
  memset(static_cast<void*>(strangers_.begin()), 0, strangers_.size() * sizeof(Stranger));
  for (const Stranger& one : old)
    if (one.at != 0) probe(one.at) = one;
  return true;
}

CacheLine* Lines::stranger(word at, u64& number) {
  Stranger* one = &probe(at);
  if (GARNER_UNLIKELY(one->number == 0)) {
    if (one->at == 0) {
      if (2 * (used_ + 1) > strangers_.size()) {
        if (!grow()) return nullptr;
        one = &probe(at);
      }
      used_++;
    }
    *one = {at, next_number_++, CacheLine{}};
  }
  number = one->number;
  return &one->line;
}

void Lines::renew(word at) {
  Stranger& one = probe(at);
  if (one.at == at) one.number = 0;
}

} // namespace garner::sim
